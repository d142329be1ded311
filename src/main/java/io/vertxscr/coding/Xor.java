package io.vertxscr.coding;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * Folds bytes into an accumulator with exclusive or.
 *
 * <p>A plain loop over longs: the compiler turns it into vector instructions, and memory, not arithmetic, is the bound.
 * The loop stands in a method for one small block: a method that is called often is compiled well soon, where one long
 * loop that is entered rarely stays for minutes with what the first compiler makes of it (a tenth of the rate).
 */
public final class Xor {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  private static final int BLOCK_BYTES = 4096;
  /** Calls after which the JVM has its second compiler translate a method, and some more. */
  private static final int CALLS_UNTIL_COMPILED = 6000;

  private static boolean warm;

  private Xor() {}

  /** Warms up the kernel, once in a JVM, so that it is compiled before data arrive: some 10 ms of work. */
  public static synchronized void warmUp() {
    if (warm) {
      return;
    }
    warm = true;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment block = arena.allocate(BLOCK_BYTES, Long.BYTES);
      for (int i = 0; i < CALLS_UNTIL_COMPILED; i++) {
        foldBlock(block, block, 0);
      }
    }
  }

  /**
   * {@code accumulator[i] ^= source[i]} for the first {@code bytes} bytes of both.
   *
   * @throws IndexOutOfBoundsException if one of them is shorter
   */
  public static void fold(MemorySegment accumulator, MemorySegment source, long bytes) {
    MemorySegment to = accumulator.asSlice(0, bytes);
    MemorySegment from = source.asSlice(0, bytes);
    long blocks = bytes & -BLOCK_BYTES;
    for (long at = 0; at < blocks; at += BLOCK_BYTES) {
      foldBlock(to, from, at);
    }
    long words = bytes & -Long.BYTES;
    for (long i = blocks; i < words; i += Long.BYTES) {
      to.set(LONG, i, to.get(LONG, i) ^ from.get(LONG, i));
    }
    for (long i = words; i < bytes; i++) {
      to.set(BYTE, i, (byte) (to.get(BYTE, i) ^ from.get(BYTE, i)));
    }
  }

  private static void foldBlock(MemorySegment to, MemorySegment from, long at) {
    for (int i = 0; i < BLOCK_BYTES; i += Long.BYTES) {
      to.set(LONG, at + i, to.get(LONG, at + i) ^ from.get(LONG, at + i));
    }
  }

  /** Folds between the positions of two buffers; positions do not move. */
  public static void fold(ByteBuffer accumulator, ByteBuffer source, int bytes) {
    fold(MemorySegment.ofBuffer(accumulator), MemorySegment.ofBuffer(source), bytes);
  }
}
