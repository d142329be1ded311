package io.vertxscr.recorded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * States of a directory: {@code <n>} is its content before change number n, the last one its final content.
 * {@code changes} names the changes, one on each line. One change at a time: a state is never between two.
 */
public final class States {
  /** Keeps states. A write is two changes, so that there is a state in which it is torn. */
  static final Watch WATCH = new Watch() {
    @Override
    public <T> T change(String what, Path path, Path other, Operation<T> change) throws IOException {
      return States.change(what, path, change);
    }

    @Override
    public int write(Path path, Object key, long position, ByteBuffer from, Write write) throws IOException {
      int begin = from.position();
      ByteBuffer first = from.duplicate().limit(begin + from.remaining() / 2);
      ByteBuffer second = from.duplicate();
      while (first.hasRemaining()) {
        States.change("write", path, () -> write.of(first));
      }
      second.position(first.position());
      while (second.hasRemaining()) {
        States.change("write the rest of", path, () -> write.of(second));
      }
      from.position(second.position());
      return second.position() - begin;
    }

    @Override
    public <T> T truncate(Path path, Object key, long size, Operation<T> truncate) throws IOException {
      return States.change("truncate", path, truncate);
    }

    @Override
    public void sync(Path path, Object key, Operation<Void> sync) throws IOException {
      sync.run();
      note("sync", path);
    }
  };

  private static States recording;
  private static Path taped;
  private static List<String> tape;

  private final Path root;
  private final Path target;
  private final List<Path> watched;
  private int count;

  private States(Path root, Path target, List<Path> watched) {
    this.root = root;
    this.target = target;
    this.watched = watched;
  }

  /**
   * Keeps states from now on, in this process.
   *
   * @param root what is kept
   * @param target where; made by this
   * @param watched directories below the root whose changes count
   */
  public static synchronized void begin(Path root, Path target, List<Path> watched) throws IOException {
    recording = new States(plain(root), Files.createDirectories(plain(target)),
        watched.stream().map(States::plain).toList());
  }

  /**
   * Notes changes and syncs from now on, in this process, each with the path from {@code root} on.
   *
   * @return what grows with them, until {@link #endTape}
   */
  public static synchronized List<String> tape(Path root) {
    taped = plain(root);
    tape = new CopyOnWriteArrayList<>();
    return tape;
  }

  public static synchronized void endTape() {
    tape = null;
  }

  static synchronized void note(String what, Path plain) {
    Path changed = plain.toAbsolutePath().normalize();
    if (tape != null && changed.startsWith(taped)) {
      tape.add((what + " " + taped.relativize(changed)).strip());
    }
  }

  /** Keeps the last one. */
  public static synchronized void end() throws IOException {
    recording.keep("the end");
    recording = null;
  }

  private static Path plain(Path path) {
    return RecordedPath.plain(path);
  }

  static <T> T change(String what, Path plain, Watch.Operation<T> change) throws IOException {
    synchronized (States.class) {
      before(what, plain);
      return change.run();
    }
  }

  /** To be called while nothing else changes; not to be called for changes that nobody could see. */
  static synchronized void before(String what, Path plain) throws IOException {
    note(what, plain);
    Path changed = plain.toAbsolutePath().normalize();
    if (recording != null && recording.watched.stream().anyMatch(changed::startsWith)) {
      recording.keep(what + " " + recording.root.relativize(changed));
    }
  }

  private void keep(String what) throws IOException {
    copy(root, target.resolve(Integer.toString(count)));
    Files.write(target.resolve("changes"), List.of(count + " " + what), StandardCharsets.UTF_8,
        StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    count++;
  }

  /** A directory with all that is in it; links are not expected. */
  public static void copy(Path from, Path to) throws IOException {
    Files.walkFileTree(from, new SimpleFileVisitor<>() {
      @Override
      public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
        Files.createDirectory(to.resolve(from.relativize(directory)));
        return FileVisitResult.CONTINUE;
      }

      @Override
      public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        if (attributes.isRegularFile()) {
          Path copied = to.resolve(from.relativize(file));
          try {
            Files.copy(file, copied, StandardCopyOption.COPY_ATTRIBUTES);
          } catch (NoSuchFileException _) {
            return FileVisitResult.CONTINUE;              // a change that does not count, such as of the cache
          }
        }
        return FileVisitResult.CONTINUE;
      }

      @Override
      public FileVisitResult visitFileFailed(Path file, IOException failed) {
        return FileVisitResult.CONTINUE;                  // the same
      }
    });
  }
}
