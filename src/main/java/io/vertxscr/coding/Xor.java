package io.vertxscr.coding;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * Folds bytes into an accumulator with exclusive or.
 *
 * <p>A plain loop over longs: the compiler turns it into vector instructions, and memory, not arithmetic, is the bound.
 */
public final class Xor {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  private Xor() {}

  /**
   * {@code accumulator[i] ^= source[i]} for the first {@code bytes} bytes of both.
   *
   * @throws IndexOutOfBoundsException if one of them is shorter
   */
  public static void fold(MemorySegment accumulator, MemorySegment source, long bytes) {
    MemorySegment to = accumulator.asSlice(0, bytes);
    MemorySegment from = source.asSlice(0, bytes);
    long whole = bytes & -Long.BYTES;
    for (long i = 0; i < whole; i += Long.BYTES) {
      to.set(LONG, i, to.get(LONG, i) ^ from.get(LONG, i));
    }
    for (long i = whole; i < bytes; i++) {
      to.set(BYTE, i, (byte) (to.get(BYTE, i) ^ from.get(BYTE, i)));
    }
  }

  /** The same between the positions of two buffers; positions stay where they are. */
  public static void fold(ByteBuffer accumulator, ByteBuffer source, int bytes) {
    fold(MemorySegment.ofBuffer(accumulator), MemorySegment.ofBuffer(source), bytes);
  }
}
