package io.vertxscr.storage;

import io.vertxscr.format.HashFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.List;

/**
 * The two bins of a cache directory: {@code .trash}, to be deleted, and {@code .recycled}, redundancy files to be
 * written over. The latter never holds more than one dataset left: what the next dataset can use, not a growing heap.
 *
 * <p>The owner's lock guards all but {@link #emptyTrash}.
 */
final class Bins {
  private final NodeDirectories directories;
  private long counter;

  Bins(NodeDirectories directories) {
    this.directories = directories;
  }

  /** Renames a file or directory into the trash, if it is there. */
  void trash(Path path) {
    move(path, directories.trash());
  }

  /** Moves redundancy files of a dataset to where {@link #take} finds them; what lay there before goes to the trash. */
  void recycle(int datasetId, Collection<String> names) {
    if (names.isEmpty()) {
      return;
    }
    list().forEach(this::trash);
    for (String name : names) {
      move(NodeDirectories.resolve(directories.dataset(datasetId), name), directories.recycled());
    }
  }

  boolean take(Path target) {
    List<Path> files = list();
    if (files.isEmpty()) {
      return false;
    }
    Path file = files.getFirst();
    try {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        AtomicFile.writeFully(channel, ByteBuffer.allocate(HashFile.HEADER_BYTES));   // no header, no redundancy file
      }
      Files.createDirectories(target.getParent());
      Files.move(file, target, StandardCopyOption.ATOMIC_MOVE);
      return true;
    } catch (IOException e) {
      throw Faults.io(target, e);
    }
  }

  /** Guarded by a lock of its own, so that nobody waits for it but another that empties. */
  synchronized void emptyTrash() {
    IOException failed = null;
    Path trash = directories.trash();
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

  private List<Path> list() {
    try {
      return Trees.list(directories.recycled());
    } catch (IOException e) {
      throw Faults.io(directories.recycled(), e);
    }
  }

  private void move(Path path, Path bin) {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      Path target;
      do {
        target = bin.resolve(path.getFileName() + "." + counter++);
      } while (Files.exists(target, LinkOption.NOFOLLOW_LINKS));
      Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }
}
