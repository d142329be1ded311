package io.vertxscr.coding;

import java.lang.foreign.MemorySegment;

/** The one thing that Reed-Solomon does with data. Thread-safe. */
public interface GfKernel {
  /**
   * Computes {@code accumulator[i] += factor * source[i]} in GF(2^8) for the first {@code bytes} bytes. The polynomial
   * is 0x11d. Both may be the same bytes; otherwise they do not overlap.
   *
   * @param factor 0 to 255
   * @throws IndexOutOfBoundsException if one of them is shorter, or for another factor
   */
  void multiplyAdd(MemorySegment accumulator, MemorySegment source, long bytes, int factor);
}
