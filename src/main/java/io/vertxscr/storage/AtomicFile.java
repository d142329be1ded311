package io.vertxscr.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Atomic replacement of small files: a reader finds the old bytes or the new ones, at any crash.
 *
 * <p>Two writers of one path must take turns: they share its draft. It is always a new file: what has its name, left by
 * a crash or put there by somebody else, is unlinked and not written to.
 */
public final class AtomicFile {
  static final String DRAFT_SUFFIX = ".draft";

  private AtomicFile() {}

  /**
   * Writes the file durably: when this returns it survives a power failure. Creates it if it is not there; its
   * directory must be.
   *
   * @throws io.vertxscr.model.ScrException NO_SPACE, IO; the file is then what it was, unless only the last step failed
   *     (forcing the directory), after which it has either content
   */
  public static void replace(Path path, byte[] bytes) {
    replace(path, bytes, false, true);
  }

  /**
   * The same with a file that only its owner can read.
   *
   * @param syncs not where a loss of power takes the whole file system anyway
   */
  static void replaceOwn(Path path, byte[] bytes, boolean syncs) {
    replace(path, bytes, true, syncs);
  }

  private static void replace(Path path, byte[] bytes, boolean own, boolean syncs) {
    if (path.getFileSystem() instanceof WholeFiles whole) {
      try {
        whole.replace(path, bytes);
        return;
      } catch (IOException e) {
        throw Faults.io(path, e);
      }
    }
    Path draft = path.resolveSibling(path.getFileName() + DRAFT_SUFFIX);
    try {
      try (FileChannel channel = own ? NewFile.create(draft) : NewFile.createPlain(draft)) {
        writeFully(channel, ByteBuffer.wrap(bytes));
        if (syncs) {
          channel.force(true);
        }
      }
      Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
      if (syncs) {
        force(path.toAbsolutePath().getParent());
      }
    } catch (IOException e) {
      deleteAfter(e, draft);
      throw Faults.io(path, e);
    }
  }

  /** Deletes the file durably, if it is there. */
  static void delete(Path path) {
    delete(path, true);
  }

  /** The same. @param syncs as for {@link #replaceOwn} */
  static void delete(Path path, boolean syncs) {
    try {
      if (Files.deleteIfExists(path) && syncs) {
        force(path.toAbsolutePath().getParent());
      }
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  /** Syncs a directory, or a file with its attributes. */
  public static void force(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  static void writeFully(FileChannel channel, ByteBuffer from) throws IOException {
    while (from.hasRemaining()) {
      channel.write(from);
    }
  }

  private static void deleteAfter(IOException cause, Path draft) {
    try {
      Files.deleteIfExists(draft);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }
}
