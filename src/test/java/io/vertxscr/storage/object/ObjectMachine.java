package io.vertxscr.storage.object;

import io.vertxscr.storage.LocalFiles.Mount;
import io.vertxscr.storage.LocalFiles;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** One process with a bucket at {@link #MOUNT}, whose monotonic clock a test sets. */
public final class ObjectMachine {
  public static final String MOUNT = "/ckpt";
  /** Objects have it before their names. */
  public static final String KEYS = "some/prefix/";
  private static final AtomicLong IDS = new AtomicLong();

  private final ObjectFileSystem system;
  private final AtomicLong nanos = new AtomicLong();

  public ObjectMachine(ObjectStore store, int partBytes) {
    this.system = new ObjectFileSystem(store, MOUNT, KEYS, partBytes, new ObjectFileSystem.MountContext(
        nanos::get, () -> "id-" + IDS.incrementAndGet(), ObjectMachine::matcher));
  }

  private static PathMatcher matcher(String pattern) {
    PathMatcher matcher = FileSystems.getDefault().getPathMatcher(pattern);
    return path -> matcher.matches(Path.of(path.toString()));
  }

  /** Files of this process, with the bucket. */
  public LocalFiles files() {
    return LocalFiles.ofThisMachine(List.of(new Mount(MOUNT, system)));
  }

  public Path path(String relative) {
    return system.getPath(MOUNT).resolve(relative);
  }

  ObjectFileSystem system() {
    return system;
  }

  /** Time passes for this process. */
  void passes(long seconds) {
    nanos.addAndGet(seconds * 1_000_000_000L);
  }
}
