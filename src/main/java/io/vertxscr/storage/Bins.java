package io.vertxscr.storage;

import io.vertxscr.format.HashFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The two bins of a cache directory: {@code .trash}, to be deleted, and {@code .recycled}, redundancy files to be
 * written over. The latter never holds more than one dataset left: what the next dataset can use, not a growing heap.
 *
 * <p>The owner's lock guards all but {@link #emptyTrash}.
 */
final class Bins {
  private static final Pattern THROWN = Pattern.compile(".*\\.([0-9]{1,8})\\.[0-9]+", Pattern.DOTALL);

  private final Path cache;
  /** What is in {@code .recycled}: nobody else writes there, so it is listed once. */
  private final Deque<Path> recycled = new ArrayDeque<>();
  /** The same of files that were lent: they are free when a dataset is protected, not when one is evicted. */
  private final Deque<Path> recycledLent = new ArrayDeque<>();
  /** Makes names in the bins unique, also among those that an earlier life of the node has left. */
  private final int life;
  private long counter;

  /** Makes what is missing of a cache directory and its bins. */
  Bins(Path cache) {
    this.cache = cache;
    try {
      Files.createDirectories(recycledBin(cache));
      Files.createDirectories(trashBin(cache));
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

  /** Moves redundancy files of a dataset to where {@link #take} finds them; what lay there before goes to the trash. */
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

  /** The same with files that were lent to other nodes. */
  void recycleLent(Collection<Path> files) {
    recycledLent.forEach(this::trash);
    recycledLent.clear();
    files.forEach(file -> move(file, recycledBin(cache)).ifPresent(recycledLent::add));
  }

  /** Throws away what is there to be written over. */
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
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
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

  /** Guarded by a lock of its own, so that nobody waits for it but another that empties. */
  synchronized void emptyTrash() {
    IOException failed = null;
    Path trash = trashBin(cache);
    try {
      for (Path entry : Trees.list(trash)) {
        try {
          Trees.delete(entry);
        } catch (IOException e) {
          failed = e;
        }
      }
    } catch (IOException e) {
      failed = e;
    }
    if (failed != null) {
      throw Faults.io(trash, failed);
    }
  }

  /** Where it is now; empty if it was not there. */
  private Optional<Path> move(Path path, Path bin) {
    Path target = bin.resolve(path.getFileName() + "." + life + "." + counter++);
    try {
      Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
      return Optional.of(target);
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }
}
