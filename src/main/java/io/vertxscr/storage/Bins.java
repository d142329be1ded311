package io.vertxscr.storage;

import io.vertxscr.format.HashFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Bins of a cache directory: {@code .trash} for deletion, {@code .recycled} for redundancy files to overwrite. The
 * latter never holds more than one dataset left: what the next dataset can use, not a growing heap.
 *
 * <p>The owner's lock guards all but {@link #emptyTrash}.
 */
final class Bins {
  private static final Pattern THROWN = Pattern.compile(".*\\.([0-9]{1,8})\\.[0-9]+", Pattern.DOTALL);

  private final Path cache;
  private final boolean inMemory;
  private final boolean exact;
  private final boolean exactTimes;
  /** Content of {@code .recycled}, listed once: there is no other writer. */
  private final Deque<Path> recycled = new ArrayDeque<>();
  /** Recycled files of shared parity, free after a protection, not only after an eviction. */
  private final Deque<Path> recycledLent = new ArrayDeque<>();
  /** Makes names in the bins unique, also among those that an earlier life of the node has left. */
  private final int life;
  private long counter;

  /** Creates the missing bins of a cache, which no other user can replace. */
  Bins(Path cache) {
    this.cache = cache;
    try {
      PrivateDirectory.make(recycledBin(cache), 1);
      PrivateDirectory.make(trashBin(cache), 1);
      inMemory = LocalFiles.isInMemory(cache);
      exact = LocalFiles.isExact(cache);
      exactTimes = exact && WriteTimes.areExact(cache);
      recycled.addAll(Trees.list(recycledBin(cache)));
      life = 1 + Stream.concat(recycled.stream(), Trees.list(trashBin(cache)).stream()).mapToInt(Bins::life).max()
          .orElse(0);
    } catch (IOException e) {
      throw Faults.io(cache, e);
    }
  }

  /** The life of the node that has thrown this away; 0 for what has no such name. */
  private static int life(Path thrown) {
    Matcher name = THROWN.matcher(thrown.getFileName().toString());
    return name.matches() ? Integer.parseInt(name.group(1)) : 0;
  }

  /** Whether a loss of power takes all that is in the cache. */
  boolean isInMemory() {
    return inMemory;
  }

  /** Whether the attributes of files in the cache tell of each write to them. */
  boolean isExact() {
    return exact;
  }

  /** Whether each write to a file in the cache that follows a look at it gets a time of its own. */
  boolean hasExactTimes() {
    return exactTimes;
  }

  static Path recycledBin(Path cache) {
    return cache.resolve(".recycled");
  }

  static Path trashBin(Path cache) {
    return cache.resolve(".trash");
  }

  /** Renames a file or directory into the trash, if it is there. */
  void trash(Path path) {
    move(path, trashBin(cache));
  }

  /** Recycles redundancy files of a dataset for {@link #take}; earlier recycled files go to the trash. */
  void recycle(int datasetId, Collection<String> names) {
    if (names.isEmpty()) {
      return;
    }
    discardOwn();
    for (String name : names) {
      move(NodeDirectories.resolve(NodeDirectories.dataset(cache, datasetId), name), recycledBin(cache))
          .ifPresent(recycled::add);
    }
  }

  /** Recycles files of shared parity. */
  void recycleLent(Collection<Path> files) {
    recycledLent.forEach(this::trash);
    recycledLent.clear();
    files.forEach(file -> move(file, recycledBin(cache)).ifPresent(recycledLent::add));
  }

  /** Moves recycled files to the trash. */
  void discardRecycled() {
    discardOwn();
    recycledLent.forEach(this::trash);
    recycledLent.clear();
  }

  private void discardOwn() {
    recycled.forEach(this::trash);
    recycled.clear();
  }

  boolean take(Path target) {
    return take(recycled.poll(), target);
  }

  boolean takeLent(Path target) {
    return take(recycledLent.poll(), target);
  }

  private static boolean take(Path file, Path target) {
    if (file == null) {
      return false;
    }
    try {
      try (FileChannel channel = OwnFile.reopen(file)) {
        AtomicFile.writeFully(channel, ByteBuffer.allocate(HashFile.HEADER_BYTES));   // no header, no redundancy file
      }
      Trees.make(target.getParent());
      Files.move(file, target, StandardCopyOption.ATOMIC_MOVE);
      return true;
    } catch (NoSuchFileException _) {
      return false;                                       // somebody tidied up; a new file does as well
    } catch (IOException e) {
      throw Faults.io(target, e);
    }
  }

  /** Guarded by a lock of its own, for which only another emptying thread waits. */
  synchronized void emptyTrash() {
    try {
      Trees.empty(trashBin(cache));
    } catch (IOException e) {
      throw Faults.io(trashBin(cache), e);
    }
  }

  /** Moves a path into a bin; empty if it did not exist. A bin that somebody has deleted is made again. */
  private Optional<Path> move(Path path, Path bin) {
    Path target = bin.resolve(path.getFileName() + "." + life + "." + counter++);
    try {
      return Optional.of(Files.move(path, target, StandardCopyOption.ATOMIC_MOVE));
    } catch (NoSuchFileException _) {
      return Presence.exists(path) ? moveAgain(path, target) : Optional.empty();
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  private static Optional<Path> moveAgain(Path path, Path target) {
    PrivateDirectory.make(target.getParent(), 1);
    try {
      return Optional.of(Files.move(path, target, StandardCopyOption.ATOMIC_MOVE));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }
}
