package io.vertxscr.coding;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Eight bytes in a long, bit by bit: bit b of a byte adds factor * x^b to its product. So the bit is spread over its
 * byte, in all eight bytes at once, as a mask of those constants. No table: looking up byte by byte takes longer than
 * these loops, which the compiler turns into vector instructions.
 *
 * <p>Three loops for the eight bits, because the body of one would be too long for that. Multiplying the bits by the
 * constants instead takes half as long again, and so does Horner's rule with seven doublings (Anvin, The mathematics
 * of RAID-6, 2009).
 */
final class PlainGfKernel implements GfKernel {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final int BLOCK_WORDS = 256;
  private static final int BLOCK_BYTES = BLOCK_WORDS * Long.BYTES;

  private static final long LOW_BITS = 0x0101010101010101L;

  @Override
  public void multiplyAdd(MemorySegment accumulator, MemorySegment source, long bytes, int factor) {
    if (factor < 0 || factor >= Gf256.ELEMENTS) {
      throw new IndexOutOfBoundsException("factor " + factor);
    }
    MemorySegment to = accumulator.asSlice(0, bytes);
    MemorySegment from = source.asSlice(0, bytes);
    long blocks = bytes - bytes % BLOCK_BYTES;
    blocks(to, from, blocks, factor);
    addBytes(to, from, blocks, factor);
  }

  /** Adds what begins at an offset and is too short for blocks. */
  static void addBytes(MemorySegment to, MemorySegment from, long offset, int factor) {
    for (long i = offset; i < to.byteSize(); i++) {
      to.set(BYTE, i, (byte) (to.get(BYTE, i) ^ Gf256.multiply(factor, from.get(BYTE, i) & 0xff)));
    }
  }

  /** Separate method: the compiler does not vectorize the loops below with more code around them. */
  private static void blocks(MemorySegment to, MemorySegment from, long bytes, int factor) {
    long[] ofBit = new long[Byte.SIZE];
    for (int bit = 0; bit < Byte.SIZE; bit++) {
      ofBit[bit] = Gf256.multiply(factor, 1 << bit) * LOW_BITS;
    }
    long[] block = new long[BLOCK_WORDS];
    long[] product = new long[BLOCK_WORDS];
    for (long at = 0; at < bytes; at += BLOCK_BYTES) {
      MemorySegment.copy(from, LONG, at, block, 0, BLOCK_WORDS);
      bits0To2(product, block, ofBit[0], ofBit[1], ofBit[2]);
      bits3To5(product, block, ofBit[3], ofBit[4], ofBit[5]);
      bits6And7(product, block, ofBit[6], ofBit[7]);
      for (int i = 0; i < BLOCK_WORDS; i++) {
        long word = at + (long) i * Long.BYTES;
        to.set(LONG, word, to.get(LONG, word) ^ product[i]);
      }
    }
  }

  private static void bits0To2(long[] product, long[] block, long of0, long of1, long of2) {
    for (int i = 0; i < BLOCK_WORDS; i++) {
      long word = block[i];
      product[i] = spread(word) & of0 ^ spread(word >>> 1) & of1 ^ spread(word >>> 2) & of2;
    }
  }

  private static void bits3To5(long[] product, long[] block, long of3, long of4, long of5) {
    for (int i = 0; i < BLOCK_WORDS; i++) {
      long word = block[i];
      product[i] ^= spread(word >>> 3) & of3 ^ spread(word >>> 4) & of4 ^ spread(word >>> 5) & of5;
    }
  }

  private static void bits6And7(long[] product, long[] block, long of6, long of7) {
    for (int i = 0; i < BLOCK_WORDS; i++) {
      long word = block[i];
      product[i] ^= spread(word >>> 6) & of6 ^ spread(word >>> 7) & of7;
    }
  }

  /** In each byte its lowest bit, eight times. */
  private static long spread(long bytes) {
    long bits = bytes & LOW_BITS;
    return (bits << Byte.SIZE) - bits;
  }

  @Override
  public String toString() {
    return "plain";
  }
}
