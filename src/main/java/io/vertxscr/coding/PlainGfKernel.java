package io.vertxscr.coding;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Eight bytes in a long: the product by Horner's rule over the bits of the factor, seven times doubling all eight bytes
 * at once. No table: looking up byte by byte takes several times as long as this loop, which the compiler turns into
 * vector instructions. The doubling is that of Anvin, The mathematics of RAID-6 (2009).
 */
final class PlainGfKernel implements GfKernel {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final int BLOCK_WORDS = 256;
  private static final int BLOCK_BYTES = BLOCK_WORDS * Long.BYTES;

  private static final long HIGH_BITS = 0x8080808080808080L;
  private static final long LOW_BITS = 0x0101010101010101L;
  /** What x^8 is, in each byte: the polynomial without its highest power. */
  private static final long REDUCTION = 0x1d * LOW_BITS;

  @Override
  public void multiplyAdd(MemorySegment accumulator, MemorySegment source, long bytes, int factor) {
    if (factor < 0 || factor >= Gf256.ELEMENTS) {
      throw new IndexOutOfBoundsException("factor " + factor);
    }
    MemorySegment to = accumulator.asSlice(0, bytes);
    MemorySegment from = source.asSlice(0, bytes);
    long[] block = new long[BLOCK_WORDS];
    long[] product = new long[BLOCK_WORDS];
    long blocks = bytes - bytes % BLOCK_BYTES;
    for (long at = 0; at < blocks; at += BLOCK_BYTES) {
      MemorySegment.copy(from, LONG, at, block, 0, BLOCK_WORDS);
      Arrays.fill(product, 0);
      for (int bit = Byte.SIZE - 1; bit >= 0; bit--) {
        doubleAndAdd(product, block, -(factor >> bit & 1));
      }
      MemorySegment.copy(to, LONG, at, block, 0, BLOCK_WORDS);
      add(block, product);
      MemorySegment.copy(block, 0, to, LONG, at, BLOCK_WORDS);
    }
    for (long i = blocks; i < bytes; i++) {
      to.set(BYTE, i, (byte) (to.get(BYTE, i) ^ Gf256.multiply(factor, from.get(BYTE, i) & 0xff)));
    }
  }

  /** One step of Horner's rule; all steps in one loop would be too long a body to be turned into vectors. */
  private static void doubleAndAdd(long[] product, long[] block, long ifSet) {
    for (int i = 0; i < BLOCK_WORDS; i++) {
      product[i] = doubled(product[i]) ^ block[i] & ifSet;
    }
  }

  private static void add(long[] sum, long[] product) {
    for (int i = 0; i < BLOCK_WORDS; i++) {
      sum[i] ^= product[i];
    }
  }

  /** Each byte times x; what is shifted out comes back as x^8. */
  private static long doubled(long bytes) {
    long high = bytes & HIGH_BITS;
    return (bytes ^ high) << 1 ^ (high << 1) - (high >>> 7) & REDUCTION;
  }

  @Override
  public String toString() {
    return "plain";
  }
}
