package io.vertxscr.prefix;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.extent.Meter;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.PieceBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.zip.CRC32;

/**
 * Copies one file whole, piece by piece, and compares size and CRC-32 of the bytes that
 * passed. Only for threads that move bulk bytes: it uses their {@link PieceBuffers}.
 *
 * <p>{@code transferTo} with the checksum read back piece by piece takes 5 % less processor time on tmpfs and 10 %
 * more on ext4. One buffer is plainer, and the bytes checked are the bytes written.
 *
 * @param from read to its end
 * @param to made new; gets mode and time of {@code from} when it has its bytes. Whatever had this name before is
 *     unlinked, so that neither a link nor a writer of an earlier attempt can get between
 * @param bytes expected size, where known
 * @param crc expected checksum, where known
 */
public record CheckedCopy(Source from, Path to, OptionalLong bytes, OptionalInt crc) {
  /**
   * The file to read, and what its troubles mean.
   *
   * @param what names it in messages
   */
  public record Source(Path path, String what, Fault ifMissing, Fault ifUnreadable) {}

  /** What was copied. */
  public record Copied(long bytes, int crc) {}

  /** Whether the copy must survive a power failure. */
  public enum Sync { FORCE, NONE }

  /**
   * Copies; on every failure {@code to} is gone.
   *
   * @throws ScrException as the source says if it is missing or unreadable; {@link Fault#CORRUPT} if it is not
   *     what was expected; NO_SPACE or IO where {@code to} cannot be written
   */
  public Copied run(Sync sync) {
    return run(sync, Meter.NONE);
  }

  /** The same, under the eyes of a meter. */
  public Copied run(Sync sync, Meter meter) {
    if (!Files.isRegularFile(from.path)) {
      throw new ScrException(from.ifMissing, from.what + " is missing: " + from.path);
    }
    boolean done = false;
    try (FileChannel in = openSource()) {
      Stamp stamp = stamp();
      Copied copied;
      Files.deleteIfExists(to);
      try (FileChannel out = FileStamps.create(to)) {
        copied = pump(in, out, meter);
        check(copied);
        FileStamps.apply(stamp, to);
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

  private FileChannel openSource() {
    try {
      return FileChannel.open(from.path, StandardOpenOption.READ);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private Stamp stamp() {
    try {
      return FileStamps.read(from.path);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private Copied pump(FileChannel in, FileChannel out, Meter meter) throws IOException {
    CRC32 sum = new CRC32();
    long total = 0;
    ByteBuffer buffer = PieceBuffers.first();
    while (read(in, buffer) >= 0) {
      buffer.flip();
      total += buffer.remaining();
      sum.update(buffer);
      buffer.rewind();
      meter.passing(buffer.remaining());
      while (buffer.hasRemaining()) {
        out.write(buffer);
      }
      buffer.clear();
    }
    return new Copied(total, (int) sum.getValue());
  }

  private int read(FileChannel in, ByteBuffer buffer) {
    try {
      return in.read(buffer);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private void check(Copied copied) {
    if (bytes.isPresent() && bytes.getAsLong() != copied.bytes) {
      throw new ScrException(Fault.CORRUPT, "%s has %d bytes instead of %d: %s"
          .formatted(from.what, copied.bytes, bytes.getAsLong(), from.path));
    }
    if (crc.isPresent() && crc.getAsInt() != copied.crc) {
      throw new ScrException(Fault.CORRUPT, "%s has checksum 0x%08x instead of 0x%08x: %s"
          .formatted(from.what, copied.crc, crc.getAsInt(), from.path));
    }
  }

  private ScrException unreadable(IOException e) {
    return new ScrException(
        from.ifUnreadable, from.what + " cannot be read: " + Faults.io(from.path, e).getMessage(), e);
  }

  private void unlink() {
    try {
      Files.deleteIfExists(to);
    } catch (IOException _) {
      // the failure that brought us here is the one to report; what stays is replaced by the next attempt
    }
  }
}
