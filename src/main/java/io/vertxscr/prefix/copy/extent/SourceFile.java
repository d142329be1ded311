package io.vertxscr.prefix.copy.extent;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.Presence;
import io.vertxscr.storage.RegularFile;
import io.vertxscr.storage.UnreadFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A source file with its meaning of failures, so that a bad source is not mistaken for a bad target. Blocking.
 *
 * @param what names it in messages
 * @param unread the file, where its checksum is not known yet: then it must be untouched when it is opened, and when
 *     its checksum is compared
 */
public record SourceFile(
    Path path, String what, Fault ifMissing, Fault ifUnreadable, Optional<FileMeta> unread) {
  /** A cached copy: one that is gone or cannot be read counts as lost, and is rebuilt. */
  public static SourceFile cached(Path path, FileMeta file, String what) {
    return new SourceFile(path, what, Fault.NO_SUCH_FILE, Fault.CORRUPT, unread(file));
  }

  /** A cached copy that is not rebuilt: one that is gone is as bad as one that cannot be read. */
  public static SourceFile scavenged(Path path, FileMeta file, String what) {
    return new SourceFile(path, what, Fault.CORRUPT, Fault.CORRUPT, unread(file));
  }

  private static Optional<FileMeta> unread(FileMeta file) {
    return Optional.of(file).filter(one -> one.unread().isPresent());
  }

  /** A file in the prefix directory. A missing one makes its dataset useless, an unreadable one does not. */
  public static SourceFile flushed(Path path, String what) {
    return new SourceFile(path, what, Fault.CORRUPT, Fault.IO, Optional.empty());
  }

  /** Whether a source could not be read, by what its methods throw. Its bytes may be right. */
  public static boolean isUnread(ScrException failure) {
    return failure.getCause() != null;
  }

  /** To read it. @throws ScrException as this says if it is missing or unreadable; CORRUPT if it was touched */
  public FileChannel open() {
    if (!isThere()) {
      throw new ScrException(ifMissing, what + " is missing: " + path);
    }
    requireUntouched();
    try {
      return RegularFile.read(path);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private boolean isThere() {
    try {
      return Presence.isFile(path);
    } catch (ScrException e) {
      throw new ScrException(ifUnreadable, what + " cannot be read: " + e.getMessage(), e);
    }
  }

  private void requireUntouched() {
    unread.flatMap(file -> UnreadFiles.problem(path, file)).ifPresent(problem -> {
      throw new ScrException(Fault.CORRUPT, what + ": " + problem);
    });
  }

  /** Opens the source with its known size. @throws ScrException CORRUPT too, if it has another one */
  public FileChannel open(FileMeta file) {
    FileChannel in = open();
    boolean good = false;
    try {
      requireBytes(in.size(), file.bytes());
      good = true;
      return in;
    } catch (IOException e) {
      throw unreadable(e);
    } finally {
      if (!good) {
        close(in);
      }
    }
  }

  private static void close(FileChannel in) {
    try {
      in.close();
    } catch (IOException _) {
      // it was only read
    }
  }

  /** Its mode and time. */
  public Stamp stamp() {
    try {
      return FileStamps.read(path);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Its size now. */
  long bytes(FileChannel in) {
    try {
      return in.size();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Reads the next bytes; -1 at the end. */
  public int read(FileChannel in, ByteBuffer buffer) {
    try {
      return in.read(buffer);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Reads available bytes, at least one. @throws ScrException CORRUPT where the file ends before that */
  public int read(FileChannel in, ByteBuffer buffer, long at) {
    try {
      int count = in.read(buffer, at);
      if (count < 0) {
        throw corrupt("only " + at + " bytes");
      }
      return count;
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** @throws ScrException CORRUPT */
  public void requireBytes(long found, long expected) {
    if (found != expected) {
      throw corrupt(found + " bytes instead of " + expected);
    }
  }

  /**
   * Compares the checksum of all bytes that were read. Of an unread file it is the checksum from now on, if the file is
   * still untouched.
   *
   * @throws ScrException CORRUPT; not where nothing is expected
   */
  public void requireCrc(int found, OptionalInt expected) {
    requireUntouched();
    if (expected.isPresent() && expected.getAsInt() != found) {
      throw corrupt("checksum 0x%08x instead of 0x%08x".formatted(found, expected.getAsInt()));
    }
  }

  private ScrException corrupt(String has) {
    return new ScrException(Fault.CORRUPT, what + " has " + has + ": " + path);
  }

  private ScrException unreadable(IOException e) {
    return new ScrException(ifUnreadable, what + " cannot be read: " + Faults.io(path, e).getMessage(), e);
  }
}
