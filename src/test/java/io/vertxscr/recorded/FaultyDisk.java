package io.vertxscr.recorded;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * A disk in memory that loses its power, fails, fills or hangs at the operation that a test names.
 *
 * <p>Its files are Jimfs's. Beside those it keeps what a disk would have: of each file the bytes of its last sync, and
 * the changes of names in their order, each durable once its directory is synced. Operations are numbered from 1 over
 * the whole disk, those that only read included. Modes and times are not kept by {@link #afterPowerLoss}.
 */
public final class FaultyDisk implements Watch, AutoCloseable {
  private static final int SECTOR_BYTES = 512;
  private static final Configuration UNIX = Configuration.unix().toBuilder()
      .setAttributeViews("basic", "owner", "posix", "unix").setWorkingDirectory("/").build();

  private final FileSystem memory;
  private final RecordedFileSystem system;
  private final Map<Object, byte[]> present = new HashMap<>();
  private final Map<Object, byte[]> durable = new HashMap<>();
  private final Set<Object> directories = new HashSet<>();
  private final List<Change> changes = new ArrayList<>();
  private final List<String> operations = new ArrayList<>();
  private final Object root;
  private int group;
  private Trouble trouble = Trouble.NONE;
  private Look look = _ -> {};

  /** What happens before a look. */
  @FunctionalInterface
  public interface Look {
    /** @throws IOException what the look fails with */
    void at(Path path) throws IOException;

    /** The first one of these fails. */
    static Look failsOnce(Predicate<Path> which) {
      boolean[] failed = {false};
      return path -> {
        if (!failed[0] && which.test(path)) {
          failed[0] = true;
          throw new IOException("Input/output error");
        }
      };
    }
  }

  /** What happens instead of an operation. */
  @FunctionalInterface
  public interface Trouble {
    Trouble NONE = (_, _) -> {};

    /**
     * Returns if the operation is to be carried out, however late.
     *
     * @param number of the operation
     * @param what it is, and of which path
     * @throws IOException what the operation fails with; a write has written its first half then
     * @throws PowerLoss as above, and all after it must throw it too
     */
    void before(int number, String what) throws IOException;

    /** The power goes at this operation. */
    static Trouble powerLossAt(int operation) {
      return (number, _) -> {
        if (number >= operation) {
          throw new PowerLoss();
        }
      };
    }

    /** The operation fails as the kernel would have it, and those after it do not. */
    static Trouble failureAt(int operation, String reason) {
      return (number, what) -> {
        if (number == operation) {
          throw new IOException(reason + " (operation " + number + ": " + what + ")");
        }
      };
    }

    /** Nothing more can be written from this operation on: it and those after it that need room fail. */
    static Trouble fullFrom(int operation) {
      return (number, what) -> {
        if (number >= operation && what.matches("(write|open|make directory|link|symbolic link) .*")) {
          throw new IOException("No space left on device");
        }
      };
    }
  }

  /** The program is gone with the power; nothing may catch it but a test. */
  public static final class PowerLoss extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** How much a disk has kept of what nobody has synced. */
  public enum Kept {
    /** Nothing; of names, what is synced of each directory by itself. */
    NOTHING,
    /** All changes of names, and no bytes: files are as long as at their last sync. */
    NAMES,
    /** A random prefix of the changes of names, as a journal keeps them; random sectors of the bytes. */
    SOME,
    /** All: the power did not go, only the process. */
    ALL
  }

  /** A name gets another file, or none. */
  private static final class Change {
    final Object directory;
    final String name;
    final Object file;
    final int group;
    boolean synced;

    Change(Object directory, String name, Object file, int group) {
      this.directory = directory;
      this.name = name;
      this.file = file;
      this.group = group;
    }
  }

  /** An empty one. */
  public FaultyDisk() {
    this(UNIX);
  }

  /** An empty one that takes so many bytes. */
  public FaultyDisk(long bytes) {
    this(UNIX.toBuilder().setMaxSize(bytes).build());
  }

  private FaultyDisk(Configuration configuration) {
    memory = Jimfs.newFileSystem(configuration);
    system = (RecordedFileSystem) new RecordedFileSystemProvider(memory, this).getFileSystem(null);
    try {
      root = key(memory.getPath("/"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    directories.add(root);
  }

  /** An empty directory, whose name is durable. */
  public synchronized Path directory(String path) {
    try {
      Path made = Files.createDirectories(system.getPath(path));
      changes.forEach(change -> change.synced = true);
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The file system of the program under test. */
  public FileSystem system() {
    return system;
  }

  /** From now on; operations are numbered from 1 again. */
  public synchronized void trouble(Trouble now) {
    operations.clear();
    trouble = now;
  }

  /** Before attributes or names are read; such operations have no numbers. */
  public synchronized void looks(Look action) {
    look = action;
  }

  /** What was done since the last {@link #trouble}, or tried. */
  public synchronized List<String> operations() {
    return List.copyOf(operations);
  }

  /** All that is there is durable. */
  public synchronized void syncAll() {
    changes.forEach(change -> change.synced = true);
    durable.putAll(present);
  }

  /** What a new process finds when the power is back. */
  public synchronized FaultyDisk afterPowerLoss(Kept kept, RandomGenerator random) {
    FaultyDisk after = new FaultyDisk();
    Map<Object, Map<String, Object>> names = new HashMap<>();
    int groups = changes.stream().mapToInt(change -> change.group).max().orElse(0);
    int journal = switch (kept) {
      case NOTHING -> 0;
      case NAMES, ALL -> groups;
      case SOME -> random.nextInt(groups + 1);
    };
    int surely = kept == Kept.NOTHING ? 0
        : changes.stream().filter(change -> change.synced).mapToInt(change -> change.group).max().orElse(0);
    for (Change change : changes) {
      if (change.synced || change.group <= Math.max(journal, surely)) {
        Map<String, Object> directory = names.computeIfAbsent(change.directory, _ -> new HashMap<>());
        if (change.file == null) {
          directory.remove(change.name);
        } else {
          directory.put(change.name, change.file);
        }
      }
    }
    copy(root, after.memory.getPath("/"), names, kept, random);
    after.learn(after.memory.getPath("/"));
    after.syncAll();
    return after;
  }

  private void copy(Object directory, Path to, Map<Object, Map<String, Object>> names, Kept kept,
      RandomGenerator random) {
    names.getOrDefault(directory, Map.of()).forEach((name, file) -> {
      try {
        Path target = to.resolve(name);
        if (directories.contains(file)) {
          Files.createDirectories(target);
          copy(file, target, names, kept, random);
        } else {
          Files.write(target, content(file, kept, random));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
  }

  private byte[] content(Object file, Kept kept, RandomGenerator random) {
    byte[] synced = durable.getOrDefault(file, new byte[0]);
    byte[] written = present.get(file);
    if (kept == Kept.ALL) {
      return written;
    } else if (kept != Kept.SOME || Arrays.equals(synced, written)) {
      return synced;
    }
    byte[] torn = Arrays.copyOf(synced, random.nextBoolean() ? synced.length : written.length);
    for (int at = 0; at < torn.length; at += SECTOR_BYTES) {
      int bytes = Math.min(SECTOR_BYTES, Math.min(torn.length, written.length) - at);
      if (bytes > 0 && random.nextBoolean()) {
        System.arraycopy(written, at, torn, at, bytes);
      }
    }
    return torn;
  }

  /** Takes what is in memory for what is there. */
  private void learn(Path directory) {
    try (var entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        changes.add(new Change(key(directory), entry.getFileName().toString(), key(entry), 0));
        if (Files.isDirectory(entry)) {
          directories.add(key(entry));
          learn(entry);
        } else {
          present.put(key(entry), Files.readAllBytes(entry));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Object key(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
  }

  private void before(String what, Path path) throws IOException {
    String operation = what + " " + path;
    operations.add(operation);
    trouble.before(operations.size(), operation);
  }

  private void changed(Path path, Object file) throws IOException {
    Path whole = path.toAbsolutePath().normalize();
    changes.add(new Change(key(whole.getParent()), whole.getFileName().toString(), file, group));
  }

  @Override
  public synchronized <T> T change(String what, Path path, Path other, Operation<T> change) throws IOException {
    before(what, path);
    group++;
    Object moved = what.equals("move to") ? key(other) : null;
    T result = change.run();
    switch (what) {
      case "delete" -> changed(path, null);
      case "move to" -> {
        changed(path, moved);
        changed(other, null);
      }
      case "make directory" -> {
        directories.add(key(path));
        changed(path, key(path));
      }
      case "open", "copy to" -> {
        present.put(key(path), Files.readAllBytes(path));
        changed(path, key(path));
      }
      default -> changed(path, key(path));
    }
    return result;
  }

  @Override
  public synchronized int write(Path path, Object key, long position, ByteBuffer from, Write write)
      throws IOException {
    try {
      before("write", path);
    } catch (IOException | PowerLoss e) {
      put(key, position, from.duplicate().limit(from.position() + from.remaining() / 2), write);
      throw e;
    }
    int bytes = from.remaining();
    put(key, position, from, write);
    return bytes;
  }

  private void put(Object key, long position, ByteBuffer from, Write write) throws IOException {
    byte[] before = present.get(key);
    int end = Math.toIntExact(position + from.remaining());
    byte[] after = Arrays.copyOf(before, Math.max(before.length, end));
    from.duplicate().get(after, Math.toIntExact(position), from.remaining());
    present.put(key, after);
    while (from.hasRemaining()) {
      write.of(from);
    }
  }

  @Override
  public synchronized <T> T truncate(Path path, Object key, long size, Operation<T> truncate) throws IOException {
    before("truncate", path);
    present.put(key, Arrays.copyOf(present.get(key), Math.toIntExact(size)));
    return truncate.run();
  }

  @Override
  public synchronized void sync(Path path, Object key, Operation<Void> sync) throws IOException {
    before("sync", path);
    sync.run();
    if (directories.contains(key)) {
      changes.stream().filter(change -> change.directory.equals(key)).forEach(change -> change.synced = true);
    } else {
      durable.put(key, present.get(key));
    }
  }

  @Override
  public synchronized <T> T read(Path path, Operation<T> read) throws IOException {
    before("read", path);
    return read.run();
  }

  @Override
  public synchronized void look(Path path) throws IOException {
    look.at(path);
  }

  @Override
  public synchronized void close(Path path, Operation<Void> close) throws IOException {
    try {
      before("close", path);
    } finally {
      close.run();                                        // a descriptor is gone even if its end fails
    }
  }

  @Override
  public boolean seesReads() {
    return true;
  }

  @Override
  public void close() throws IOException {
    memory.close();
  }
}
