package io.vertxscr.cli.drill;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Optional;

/**
 * The file of a rank at a step: every byte follows from seed, rank and step. All numbers big-endian.
 * <pre>
 *   0        8      16     20     24       32                     32 + bytes
 *   +--------+------+------+------+--------+----------------------+
 *   | magic  | seed | rank | step | bytes  | SplitMix64 sequence  |
 *   | u64    | u64  | u32  | u32  | u64    |                      |
 *   +--------+------+------+------+--------+----------------------+
 * </pre>
 * The magic is {@code "SCRDRILL"}. The sequence is that of Steele, Lea and Flood, Fast splittable pseudorandom number
 * generators, OOPSLA 2014, from a start of its own for each rank and step.
 *
 * @param bytes after the header
 */
record DrillBytes(long seed, int rank, int step, long bytes) {
  static final int HEADER_BYTES = 32;
  private static final long MAGIC = 0x534352445249_4c4cL;
  private static final long GAMMA = 0x9e3779b97f4a7c15L;
  private static final int PIECE_BYTES = 256 * 1024;
  private static final int BYTE_MASK = 0xff;

  /** Name of the file below the prefix directory. */
  String name() {
    return dataset() + "/rank_" + rank + ".bin";
  }

  /** Name of the dataset. */
  String dataset() {
    return dataset(step);
  }

  static String dataset(int step) {
    return "drill." + step;
  }

  /** Writes a new file. */
  void write(Path file) throws IOException {
    try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
      for (long at = 0; at < length(); at += PIECE_BYTES) {
        fill(piece, at);
        while (piece.hasRemaining()) {
          out.write(piece);
        }
      }
    }
  }

  /** The first difference of a file in words; empty if every byte is as {@link #write} left it. */
  Optional<String> difference(Path file) throws IOException {
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
      if (in.size() != length()) {
        return Optional.of(who() + " has " + in.size() + " bytes, expected " + length());
      }
      ByteBuffer expected = ByteBuffer.allocateDirect(PIECE_BYTES);
      ByteBuffer found = ByteBuffer.allocateDirect(PIECE_BYTES);
      for (long at = 0; at < length(); at += PIECE_BYTES) {
        fill(expected, at);
        read(in, found.clear().limit(expected.limit()));
        int differs = expected.mismatch(found);
        if (differs >= 0) {
          int is = differs < found.limit() ? found.get(differs) & BYTE_MASK : -1;
          return Optional.of(String.format(Locale.ROOT, "byte %d of %s is %s, expected 0x%02x", at + differs, who(),
              is < 0 ? "missing" : String.format(Locale.ROOT, "0x%02x", is), expected.get(differs) & BYTE_MASK));
        }
      }
      return Optional.empty();
    }
  }

  long length() {
    return HEADER_BYTES + bytes;
  }

  private String who() {
    return "the file of rank " + rank + " at step " + step;
  }

  private static void read(FileChannel in, ByteBuffer piece) throws IOException {
    while (piece.hasRemaining()) {
      if (in.read(piece) < 0) {
        break;                                            // it became shorter meanwhile: a difference
      }
    }
    piece.flip();
  }

  /** The bytes from {@code at}, a multiple of the piece, on. */
  private void fill(ByteBuffer piece, long at) {
    piece.clear();
    if (at == 0) {
      piece.putLong(MAGIC).putLong(seed).putInt(rank).putInt(step).putLong(bytes);
    }
    long start = mixed(mixed(seed + GAMMA * (rank + 1L)) + GAMMA * (step + 1L));
    for (long word = (at + piece.position() - HEADER_BYTES) / Long.BYTES; piece.hasRemaining(); word++) {
      piece.putLong(mixed(start + GAMMA * (word + 1)));
    }
    piece.flip().limit((int) Math.min(PIECE_BYTES, length() - at));
  }

  private static long mixed(long value) {
    long z = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }
}
