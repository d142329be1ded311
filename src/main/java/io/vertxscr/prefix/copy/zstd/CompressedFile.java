package io.vertxscr.prefix.copy.zstd;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.SeekTable.Frame;
import io.vertxscr.format.prefix.SeekTable;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.extent.CheckedCopy.Copied;
import io.vertxscr.prefix.copy.extent.CheckedPiece;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.NewFile;
import io.vertxscr.storage.RegularFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

/**
 * A compressed file in the prefix directory, decoded frame by frame and checked in the same pass. Each frame is checked
 * against the checksum in the seek table, the whole against size and CRC-32 in the map. Only for threads that move bulk
 * bytes.
 *
 * @param path where it is
 * @param file its entry in the map
 * @param what names it in messages
 */
public record CompressedFile(Path path, FlushedFile file, String what) {
  /** Receiver of the decoded bytes. */
  @FunctionalInterface
  private interface Sink {
    void take(ByteBuffer bytes) throws IOException;
  }

  /**
   * Decodes it; {@code to} has its mode and time. On every failure {@code to} is gone.
   *
   * @throws ScrException CORRUPT: it is missing, or not what was flushed; IO: that could not be found out, or
   *     {@code to} cannot be written; NO_SPACE
   */
  public Copied copy(Path to) {
    return copy(to, Meter.NONE);
  }

  /** Copies the file and reports decoded bytes to the meter. */
  public Copied copy(Path to, Meter meter) {
    return NewFile.stamped(to, out -> {
      Copied copied = read(bytes -> {
        meter.passing(bytes.remaining());
        while (bytes.hasRemaining()) {
          out.write(bytes);
        }
      });
      FileStamps.apply(FileStamps.read(path), to);
      return copied;
    });
  }

  /** Decodes it and compares it, as {@link #copy}, and keeps nothing. */
  public Copied check() {
    try {
      return read(_ -> {});
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  /**
   * Splits the copy for several threads. Pieces of whole frames, each checked against the checksums of its frames.
   *
   * @param pieceBytes approximate decoded bytes of a piece
   */
  public List<CheckedPiece> pieces(long pieceBytes) {
    try (FileChannel in = open()) {
      SeekTable table = table(in);
      List<CheckedPiece> pieces = new ArrayList<>();
      long at = 0;
      for (int first = 0; first < table.count(); ) {
        int end = first;
        long bytes = 0;
        long stored = 0;
        while (end < table.count() && bytes < pieceBytes) {
          bytes += table.frame(end).bytes();
          stored += table.frame(end).storedBytes();
          end++;
        }
        List<Frame> frames = IntStream.range(first, end).mapToObj(table::frame).toList();
        long begin = at;
        pieces.add(new CheckedPiece(bytes, () -> crc(frames, begin)));
        first = end;
        at += stored;
      }
      return pieces;
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  private int crc(List<Frame> frames, long begin) {
    CRC32 sum = new CRC32();
    try (FrameCoder coder = FrameCoder.decoding(); FileChannel in = open()) {
      long at = begin;
      for (Frame frame : frames) {
        sum.update(decode(coder, in, frame, at));
        at += frame.storedBytes();
      }
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
    return (int) sum.getValue();
  }

  /** Whether it decodes to the file that the map means. @throws ScrException CORRUPT */
  public void compare(int crc) {
    if (file.crc().isPresent() && file.crc().getAsInt() != crc) {
      throw corrupt("has checksum 0x%08x instead of 0x%08x".formatted(crc, file.crc().getAsInt()));
    }
  }

  /** Whether it is as long as it should be, and its seek table says so too: no frame is read. */
  public void checkSize() {
    try (FileChannel in = open()) {
      table(in);
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  private Copied read(Sink sink) throws IOException {
    CRC32 sum = new CRC32();
    try (FrameCoder coder = FrameCoder.decoding(); FileChannel in = open()) {
      SeekTable table = table(in);
      long at = 0;
      for (int i = 0; i < table.count(); i++) {
        Frame frame = table.frame(i);
        ByteBuffer bytes = decode(coder, in, frame, at);
        at += frame.storedBytes();
        sum.update(bytes);
        sink.take(bytes.rewind());
      }
      int crc = (int) sum.getValue();
      compare(crc);
      return new Copied(table.bytes(), crc);
    }
  }

  private ByteBuffer decode(FrameCoder coder, FileChannel in, Frame frame, long at) {
    try {
      fill(in, coder.stored(frame), at);
      return coder.decode(frame);
    } catch (ScrException e) {
      throw e.fault() == Fault.CORRUPT ? corrupt("is damaged in the frame at byte " + at + ", which "
          + e.getMessage()) : e;
    }
  }

  private FileChannel open() {
    try {
      return RegularFile.read(path);
    } catch (NoSuchFileException e) {
      throw new ScrException(Fault.CORRUPT, what + " is missing: " + path, e);
    } catch (RegularFile.WrongKindException e) {
      throw new ScrException(Fault.CORRUPT, what + " is missing: " + path + ": " + e.getReason(), e);
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  private SeekTable table(FileChannel in) throws IOException {
    long length = in.size();
    if (file.storedBytes().isPresent() && file.storedBytes().getAsLong() != length) {
      throw corrupt("has " + length + " bytes instead of " + file.storedBytes().getAsLong());
    }
    SeekTable table;
    try {
      long footer = Math.max(0, length - SeekTable.FOOTER_BYTES);
      long bytes = SeekTable.tableBytes(fill(in, ByteBuffer.allocate((int) (length - footer)), footer).flip());
      if (bytes > length) {
        throw corrupt("is shorter than its seek table");
      }
      table = SeekTable.decode(fill(in, ByteBuffer.allocate(Math.toIntExact(bytes)), length - bytes).flip());
    } catch (ScrException e) {
      throw e.fault() == Fault.CORRUPT ? corrupt("is damaged: " + e.getMessage()) : e;
    }
    if (table.storedBytes() + table.encodedBytes() != length) {
      throw corrupt("has " + length + " bytes, and frames of " + table.storedBytes());
    }
    if (file.bytes().isPresent() && file.bytes().getAsLong() != table.bytes()) {
      throw corrupt("has " + table.bytes() + " bytes when it is decoded instead of " + file.bytes().getAsLong());
    }
    return table;
  }

  private ByteBuffer fill(FileChannel in, ByteBuffer buffer, long at) {
    try {
      while (buffer.hasRemaining()) {
        if (in.read(buffer, at + buffer.position()) < 0) {
          throw corrupt("ends before byte " + (at + buffer.limit()));
        }
      }
      return buffer;
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  private ScrException corrupt(String how) {
    return new ScrException(Fault.CORRUPT, what + " " + how + ": " + path);
  }
}
