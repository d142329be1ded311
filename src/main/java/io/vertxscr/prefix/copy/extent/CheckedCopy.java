package io.vertxscr.prefix.copy.extent;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.NewFile;
import io.vertxscr.storage.PieceBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.zip.CRC32;

/**
 * Copies one file whole, piece by piece, and compares size and CRC-32 of the bytes that passed. Only for threads that
 * move bulk bytes: it uses their {@link PieceBuffers}.
 *
 * <p>{@code transferTo} with the checksum read back piece by piece takes 5 % less processor time on tmpfs and 10 %
 * more on ext4. One buffer is plainer, and the bytes checked are the bytes written.
 *
 * @param from read to its end
 * @param to new file; gets mode and time of {@code from} after its bytes
 * @param bytes expected size, where known
 * @param crc expected checksum, where known
 */
public record CheckedCopy(SourceFile from, Path to, OptionalLong bytes, OptionalInt crc) {
  /** Size and checksum of a copied file. */
  public record Copied(long bytes, int crc) {}

  /** Whether the copy must survive a power failure. */
  public enum Sync { FORCE, NONE }

  /**
   * Copies; on every failure {@code to} is gone.
   *
   * @throws io.vertxscr.model.ScrException as the source says if it is missing or unreadable; {@link
   *     Fault#CORRUPT} if it is not what was expected; NO_SPACE or IO where {@code to} cannot be written
   */
  public Copied run(Sync sync) {
    return run(sync, Meter.NONE);
  }

  /** Runs the copy and reports progress to the meter. */
  public Copied run(Sync sync, Meter meter) {
    try (FileChannel in = from.open()) {
      Stamp stamp = from.stamp();
      return NewFile.stamped(to, out -> {
        Copied copied = pump(in, out, meter);
        if (bytes.isPresent()) {
          from.requireBytes(copied.bytes, bytes.getAsLong());
        }
        from.requireCrc(copied.crc, crc);
        FileStamps.apply(stamp, to);
        if (sync == Sync.FORCE) {
          out.force(true);
        }
        return copied;
      });
    } catch (IOException e) {
      throw Faults.io(from.path(), e);                    // of closing what was only read
    }
  }

  private Copied pump(FileChannel in, FileChannel out, Meter meter) throws IOException {
    CRC32 sum = new CRC32();
    long total = 0;
    ByteBuffer buffer = PieceBuffers.first();
    while (from.read(in, buffer) >= 0) {
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
}
