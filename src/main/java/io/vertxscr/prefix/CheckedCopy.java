package io.vertxscr.prefix;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.PieceBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.zip.CRC32;

/**
 * Copies one file whole, in pieces of {@link Limits#PIECE_BYTES}, and compares size and CRC-32 of the bytes that passed.
 * Only for threads that move bulk bytes: it uses their {@link PieceBuffers}.
 *
 * <p>Reading and writing through one buffer, with the checksum taken on the way, was as fast as {@code transferTo} and a
 * second pass for the checksum or faster, on tmpfs and on ext4; and the bytes checked are then the bytes written.
 *
 * @param from read to its end; links are not followed
 * @param to made new, with the permissions of {@code from} (less the umask); whatever had this name before is unlinked,
 *     so that neither a link nor a writer of an earlier attempt can get between
 * @param bytes expected size, where known
 * @param crc expected checksum, where known
 */
record CheckedCopy(Path from, Path to, OptionalLong bytes, OptionalInt crc) {
  /** What was copied. */
  record Copied(long bytes, int crc) {}

  /** Whether the copy must survive a power failure. */
  enum Sync { FORCE, NONE }

  /**
   * Copies; on every failure {@code to} is gone.
   *
   * @param what names the file in messages
   * @throws ScrException {@link Fault#NO_SUCH_FILE} if there is no {@code from}; {@link Fault#CORRUPT} if it cannot be
   *     read to its end or is not what was expected; NO_SPACE or IO where {@code to} cannot be written
   */
  Copied run(String what, Sync sync) {
    if (!Files.isRegularFile(from, LinkOption.NOFOLLOW_LINKS)) {
      throw new ScrException(Fault.NO_SUCH_FILE, what + " is missing: " + from);
    }
    boolean done = false;
    try (FileChannel in = openSource(what)) {
      Copied copied;
      try (FileChannel out = create()) {
        copied = pump(in, out, what);
        check(copied, what);
        if (sync == Sync.FORCE) {
          out.force(true);
        }
      }
      done = true;
      return copied;
    } catch (IOException e) {
      throw Faults.io(to, e);
    } finally {
      if (!done) {
        unlink();
      }
    }
  }

  private FileChannel openSource(String what) {
    try {
      return FileChannel.open(from, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      throw unreadable(what, e);
    }
  }

  private FileChannel create() throws IOException {
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(from, LinkOption.NOFOLLOW_LINKS);
    Set<OpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    Files.deleteIfExists(to);
    return FileChannel.open(to, options, PosixFilePermissions.asFileAttribute(permissions));
  }

  private Copied pump(FileChannel in, FileChannel out, String what) throws IOException {
    CRC32 sum = new CRC32();
    long total = 0;
    ByteBuffer buffer = PieceBuffers.first(Limits.PIECE_BYTES);
    while (read(in, buffer, what) >= 0) {
      buffer.flip();
      total += buffer.remaining();
      sum.update(buffer);
      buffer.rewind();
      while (buffer.hasRemaining()) {
        out.write(buffer);
      }
      buffer.clear();
    }
    return new Copied(total, (int) sum.getValue());
  }

  private int read(FileChannel in, ByteBuffer buffer, String what) {
    try {
      return in.read(buffer);
    } catch (IOException e) {
      throw unreadable(what, e);
    }
  }

  private void check(Copied copied, String what) {
    if (bytes.isPresent() && bytes.getAsLong() != copied.bytes) {
      throw new ScrException(Fault.CORRUPT, "%s has %d bytes instead of %d: %s"
          .formatted(what, copied.bytes, bytes.getAsLong(), from));
    }
    if (crc.isPresent() && crc.getAsInt() != copied.crc) {
      throw new ScrException(Fault.CORRUPT, "%s has checksum 0x%08x instead of 0x%08x: %s"
          .formatted(what, copied.crc, crc.getAsInt(), from));
    }
  }

  private ScrException unreadable(String what, IOException e) {
    return new ScrException(Fault.CORRUPT, what + " cannot be read: " + Faults.io(from, e).getMessage(), e);
  }

  private void unlink() {
    try {
      Files.deleteIfExists(to);
    } catch (IOException _) {
      // the failure that brought us here is the one to report; what stays is replaced by the next attempt
    }
  }
}
