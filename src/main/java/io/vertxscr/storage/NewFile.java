package io.vertxscr.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes new files. An existing file of the name is unlinked first, so that neither a link nor a writer of an earlier
 * attempt interferes; a failure leaves no file. Blocking.
 */
public final class NewFile {
  private NewFile() {}

  /** Writer of the bytes. */
  @FunctionalInterface
  public interface Writing<T> {
    /** Called once. What it throws removes the file; an IOException is one of the new file. */
    T to(FileChannel out) throws IOException;
  }

  /** Opens the new file. */
  @FunctionalInterface
  private interface Making {
    FileChannel make() throws IOException;
  }

  /**
   * A file that gets its mode from {@code writing} ({@link FileStamps#apply}), and is its owner's alone until then.
   *
   * @return what {@code writing} does
   * @throws io.vertxscr.model.ScrException NO_SPACE, IO; what {@code writing} throws
   */
  public static <T> T stamped(Path to, Writing<T> writing) {
    return write(to, () -> OwnFile.create(to), writing);
  }

  /** Writes a file with the default mode of this process. */
  public static <T> T plain(Path to, Writing<T> writing) {
    return write(to, () -> openPlain(to), writing);
  }

  /** Creates a file as {@link #stamped} does, for a writer that pauses; it {@link #unlink}s it after a failure. */
  public static FileChannel create(Path to) throws IOException {
    return make(to, () -> OwnFile.create(to));
  }

  /** The same with the default mode of this process. */
  static FileChannel createPlain(Path to) throws IOException {
    return make(to, () -> openPlain(to));
  }

  private static FileChannel openPlain(Path to) throws IOException {
    return FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  private static <T> T write(Path to, Making making, Writing<T> writing) {
    boolean done = false;
    try {
      T result;
      try (FileChannel out = make(to, making)) {
        result = writing.to(out);
      }
      done = true;                                        // not before it is closed, which may fail too
      return result;
    } catch (IOException e) {
      throw Faults.io(to, e);
    } finally {
      if (!done) {
        unlink(to);
      }
    }
  }

  /** Most often there is nothing in the way, and nothing is asked twice. */
  private static FileChannel make(Path to, Making making) throws IOException {
    try {
      return making.make();
    } catch (FileAlreadyExistsException _) {
      Files.deleteIfExists(to);
      return making.make();
    }
  }

  /** Removes a file that could not be written, best effort. */
  public static void unlink(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException _) {
      // report the failure that led here; the next attempt replaces a remaining file
    }
  }
}
