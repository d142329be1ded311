package io.vertxscr.simulation;

import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.StoreClient.Way;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.LocalFiles.Mount;
import io.vertxscr.storage.object.MemoryObjectStore;
import io.vertxscr.storage.object.ObjectFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** The object store of all nodes, mounted where else the prefix file system is. */
final class SimulatedStore implements PrefixView {
  private static final String MOUNT = "/" + SimulatedFileSystem.SHARED;
  private static final String KEYS = "bucket-of-a-job/";

  private final Loop loop;
  private final Supplier<SimulatedFileSystem> empty;
  private final MemoryObjectStore objects;
  private final int partBytes;
  private int processes;

  /** @param empty a disk with nothing on it */
  SimulatedStore(VirtualTime time, int partBytes, Supplier<SimulatedFileSystem> empty) {
    this.loop = time.loop();
    this.empty = empty;
    this.partBytes = partBytes;
    this.objects = new MemoryObjectStore(partBytes, () -> loop.clock().instant());
  }

  /** A process with the store mounted beside its own files. */
  record StoreProcess(StoreClient client, ObjectFileSystem mounted, LocalFiles files) {}

  StoreProcess process(String name, SimulatedFileSystem own, Way way) {
    String ids = name + "/" + ++processes + "-";
    int[] last = new int[1];
    StoreClient client = new StoreClient(objects, way);
    ObjectFileSystem mounted = new ObjectFileSystem(client, MOUNT, KEYS, partBytes,
        new ObjectFileSystem.MountContext(loop::nanoTime, () -> ids + ++last[0], own::getPathMatcher));
    return new StoreProcess(client, mounted, new LocalFiles(own, List.of(new Mount(MOUNT, mounted))));
  }

  /** Something happens at a moment that is nobody's. */
  void after(Duration some, Runnable what) {
    loop.after(some.toMillis(), what);
  }

  @Override
  public LocalFiles files() {
    return process("view", empty.get(), Way.OPEN).files();
  }

  @Override
  public <T> Look<T> look(Reader<T> reader) throws IOException {
    StoreProcess process = process("view", empty.get(), Way.OPEN);
    process.client().remembers();
    T result = reader.read(process.files());
    return new Look<>() {
      @Override
      public T result() {
        return result;
      }

      @Override
      public boolean holds() {
        return process.client().holds();
      }
    };
  }

  @Override
  public boolean rot(Path file, RandomGenerator random) {
    String key = KEYS + Path.of(MOUNT).relativize(Path.of(file.toString()));
    boolean hasBytes = !objects.texts().getOrDefault(key, "").isEmpty();
    if (hasBytes) {
      objects.damage(key);
    }
    return hasBytes;
  }
}
