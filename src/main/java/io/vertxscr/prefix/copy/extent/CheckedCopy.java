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

  /** The same for a meter that admits every piece. */
  public Copied run(Sync sync, Meter meter) {
    RunningCopy copy = begin(sync, meter);
    ResumableCopy.run(copy);
    return copy.copied();
  }

  /** The same in pieces, as the meter admits them; touches nothing before it is resumed. */
  public RunningCopy begin(Sync sync, Meter meter) {
    return new RunningCopy(this, sync, meter);
  }

  /** A copy under way. */
  public static final class RunningCopy implements ResumableCopy {
    private final CheckedCopy what;
    private final Sync sync;
    private final Meter meter;
    private final OpenFiles files = new OpenFiles();
    private final CRC32 sum = new CRC32();
    private FileChannel in;
    private FileChannel out;
    private Stamp stamp;
    private long sourceBytes;
    private long total;
    private Copied copied;

    private RunningCopy(CheckedCopy what, Sync sync, Meter meter) {
      this.what = what;
      this.sync = sync;
      this.meter = meter;
    }

    /** What was copied, when all is. */
    public Copied copied() {
      return copied;
    }

    @Override
    public boolean resume() {
      try {
        if (out == null) {
          open();
        }
        if (!pump()) {
          return false;
        }
        Copied all = new Copied(total, (int) sum.getValue());
        if (what.bytes.isPresent()) {
          what.from.requireBytes(all.bytes, what.bytes.getAsLong());
        }
        what.from.requireCrc(all.crc, what.crc);
        FileStamps.apply(stamp, what.to);
        if (sync == Sync.FORCE) {
          out.force(true);
        }
        files.closeAll();
        copied = all;                                     // not before it is closed, which may fail too
        return true;
      } catch (IOException e) {
        throw Faults.io(what.to, e);
      }
    }

    private void open() throws IOException {
      in = files.add(what.from.open());
      sourceBytes = what.from.bytes(in);
      stamp = what.from.stamp();
      out = files.add(NewFile.create(what.to));
      requireNoMoreThanExpected(sourceBytes);
    }

    /** Before they are copied: somebody may have put a file there that is larger than the target's disk. */
    private void requireNoMoreThanExpected(long bytes) {
      if (what.bytes.isPresent() && bytes > what.bytes.getAsLong()) {
        what.from.requireBytes(bytes, what.bytes.getAsLong());
      }
    }

    /** Copies to the end of the source, which may have grown; finding the end is not asked for. */
    private boolean pump() throws IOException {
      for (ByteBuffer buffer = PieceBuffers.first();; buffer.clear()) {
        if (total < sourceBytes && !meter.admits(Math.min(buffer.remaining(), sourceBytes - total))) {
          return false;
        }
        if (what.from.read(in, buffer) < 0) {
          return true;
        }
        buffer.flip();
        total += buffer.remaining();
        requireNoMoreThanExpected(total);
        sum.update(buffer);
        buffer.rewind();
        meter.passing(buffer.remaining());
        while (buffer.hasRemaining()) {
          out.write(buffer);
        }
      }
    }

    @Override
    public void close() {
      files.abandon();
      if (out != null && copied == null) {
        out = null;
        NewFile.unlink(what.to);
      }
    }
  }
}
