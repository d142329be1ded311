package io.vertxscr.examples.heat;

import io.vertxscr.examples.heat.HeatProblem.Rows;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;

/**
 * A rank's checkpoint. All numbers big-endian.
 * <pre>
 *   0        8      12     16            20          24                          n-4    n
 *   +--------+------+------+-------------+-----------+---------------------------+------+
 *   | magic  | step | size | first row   | rows      | rows x size doubles       | crc  |
 *   | u64    | u32  | u32  | u32         | u32       |                           | u32  |
 *   +--------+------+------+-------------+-----------+---------------------------+------+
 * </pre>
 * The magic is {@code "SCRHEAT1"}; the CRC-32 covers every byte before it. A file whose header, length or checksum is
 * not what this rank must find is refused by name, and the block may then hold anything.
 */
final class BlockFile {
  private static final long MAGIC = 0x5343524845415431L;
  private static final int HEADER_BYTES = 24;
  private static final int TRAILER_BYTES = Integer.BYTES;
  private static final int PIECE_BYTES = 512 * 1024;

  private BlockFile() {}

  /** Length of the file of a block. */
  static long bytes(Block block) {
    return HEADER_BYTES + (long) block.rows().count() * block.size() * Double.BYTES + TRAILER_BYTES;
  }

  /** Writes a new file. Not synced: what a node's death takes with it is the checkpoint system's to replace. */
  static void write(Path file, Block block) throws IOException {
    try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
      CRC32 crc = new CRC32();
      putHeader(piece, block);
      DoubleBuffer cells = block.ownCells();
      while (cells.hasRemaining()) {
        putCells(piece, cells);
        writeAll(out, piece, crc);
      }
      writeAll(out, piece.putInt((int) crc.getValue()), crc);
    }
  }

  /** Fills the block and sets its step. */
  static void read(Path file, Block block) throws IOException {
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
      if (in.size() != bytes(block)) {
        throw refused(file, in.size() + " bytes long instead of " + bytes(block));
      }
      ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
      CRC32 crc = new CRC32();
      readAll(in, piece.limit(HEADER_BYTES), crc);
      int step = checkedStep(file, piece, block);
      DoubleBuffer cells = block.ownCells();
      while (cells.hasRemaining()) {
        long left = (long) cells.remaining() * Double.BYTES;
        readAll(in, piece.clear().limit((int) Math.min(PIECE_BYTES, left)), crc);
        cells.put(piece.asDoubleBuffer());
      }
      int computed = (int) crc.getValue();
      int stored = readAll(in, piece.clear().limit(TRAILER_BYTES), crc).getInt();
      if (stored != computed) {
        throw refused(file, "damaged: its checksum is wrong");
      }
      block.setStep(step);
    }
  }

  private static void putHeader(ByteBuffer piece, Block block) {
    piece.putLong(MAGIC).putInt(block.step()).putInt(block.size());
    piece.putInt(block.rows().first()).putInt(block.rows().count());
  }

  private static int checkedStep(Path file, ByteBuffer header, Block block) throws IOException {
    if (header.getLong() != MAGIC) {
      throw refused(file, "no checkpoint of this program");
    }
    int step = header.getInt();
    int size = header.getInt();
    Rows rows = new Rows(header.getInt(), header.getInt());
    if (size != block.size() || !rows.equals(block.rows())) {
      throw refused(file, "of another problem: size " + size + ", " + rows + " instead of size " + block.size() + ", "
          + block.rows());
    }
    if (step < 0) {
      throw refused(file, "damaged: step " + step);
    }
    return step;
  }

  /** Moves as many cells as there is room for. */
  private static void putCells(ByteBuffer piece, DoubleBuffer cells) {
    int count = Math.min(cells.remaining(), piece.remaining() / Double.BYTES);
    piece.asDoubleBuffer().put(cells.slice(cells.position(), count));
    piece.position(piece.position() + count * Double.BYTES);
    cells.position(cells.position() + count);
  }

  private static void writeAll(FileChannel out, ByteBuffer piece, CRC32 crc) throws IOException {
    crc.update(piece.flip().duplicate());
    while (piece.hasRemaining()) {
      out.write(piece);
    }
    piece.clear();
  }

  private static ByteBuffer readAll(FileChannel in, ByteBuffer piece, CRC32 crc) throws IOException {
    while (piece.hasRemaining()) {
      if (in.read(piece) < 0) {
        throw new EOFException("a checkpoint became shorter while it was read");
      }
    }
    crc.update(piece.flip().duplicate());
    return piece;
  }

  private static IOException refused(Path file, String why) {
    return new IOException("checkpoint " + file + " is " + why);
  }
}
