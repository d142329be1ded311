package io.vertxscr.coding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Goal: every byte within the length is folded, none outside. Method: every length and alignment against a byte loop.
 */
class XorTest {
  @Test
  void foldsEveryLengthAtEveryAlignmentAndTouchesNothingElse() {
    var random = new Random(7);
    for (int length = 0; length <= 70; length++) {
      for (int start = 0; start < 9; start++) {
        byte[] accumulator = new byte[100];
        byte[] source = new byte[100];
        random.nextBytes(accumulator);
        random.nextBytes(source);
        byte[] expected = accumulator.clone();
        for (int i = 0; i < length; i++) {
          expected[start + i] ^= source[11 + i];
        }
        Xor.fold(ByteBuffer.wrap(accumulator).position(start), ByteBuffer.wrap(source).position(11), length);
        assertThat(accumulator).as("length %d at %d", length, start).isEqualTo(expected);
      }
    }
  }

  @Test
  void foldsLengthsAroundItsBlocks() {
    var random = new Random(8);
    for (int length : new int[] {4095, 4096, 4097, 4104, 8191, 8192, 12301}) {
      byte[] accumulator = new byte[length + 3];
      byte[] source = new byte[length + 3];
      random.nextBytes(accumulator);
      random.nextBytes(source);
      byte[] expected = accumulator.clone();
      for (int i = 0; i < length; i++) {
        expected[1 + i] ^= source[2 + i];
      }
      Xor.fold(ByteBuffer.wrap(accumulator).position(1), ByteBuffer.wrap(source).position(2), length);
      assertThat(accumulator).as("length %d", length).isEqualTo(expected);
    }
  }

  @Test
  void refusesMoreThanOneSideHas() {
    var small = MemorySegment.ofArray(new byte[7]);
    var large = MemorySegment.ofArray(new byte[16]);
    assertThatThrownBy(() -> Xor.fold(small, large, 8)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Xor.fold(large, small, 8)).isInstanceOf(IndexOutOfBoundsException.class);
  }
}
