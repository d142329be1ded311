package io.vertxscr.coding;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/**
 * Goal: a combined checksum is the checksum of the whole. Method: splits against {@link CRC32}. Replay with -Dseed=N.
 */
class Crc32sTest {
  private static final long SEED = Long.getLong("seed", System.nanoTime());

  @Test
  void combinesEverySplitOfAShortText() {
    byte[] text = "The quick brown fox jumps over the lazy dog".getBytes();
    for (int cut = 0; cut <= text.length; cut++) {
      int combined = Crc32s.combine(crc(text, 0, cut), crc(text, cut, text.length), text.length - cut);
      assertThat(combined).as("cut at %d", cut).isEqualTo(0x414fa339);
    }
  }

  @Test
  void combinesRandomPiecesOfRandomBytes() {
    System.out.println("Crc32sTest seed " + SEED);
    var random = new Random(SEED);
    for (int round = 0; round < 200; round++) {
      byte[] bytes = new byte[random.nextInt(100_000)];
      random.nextBytes(bytes);
      int crc = 0;
      for (int from = 0; from < bytes.length; ) {
        int to = Math.min(bytes.length, from + random.nextInt(30_000));
        crc = Crc32s.combine(crc, crc(bytes, from, to), to - from);
        from = to;
      }
      assertThat(crc).as("seed %d round %d", SEED, round).isEqualTo(crc(bytes, 0, bytes.length));
    }
  }

  @Test
  void combinesPiecesOfMoreThanFourGibibytes() {
    byte[] mebibyte = new byte[1 << 20];
    int zeros = crc(mebibyte, 0, mebibyte.length);
    long bytes = mebibyte.length;
    while (bytes < 1L << 34) {                          // doubled until 16 GiB ...
      zeros = Crc32s.combine(zeros, zeros, bytes);
      bytes *= 2;
    }
    int added = crc(mebibyte, 0, mebibyte.length);
    int stepwise = 0x12345678;
    for (long i = 0; i < bytes; i += mebibyte.length) { // ... against one mebibyte at a time
      stepwise = Crc32s.combine(stepwise, added, mebibyte.length);
    }
    assertThat(Crc32s.combine(0x12345678, zeros, bytes)).isEqualTo(stepwise);
  }

  private static int crc(byte[] bytes, int from, int to) {
    var crc = new CRC32();
    crc.update(bytes, from, to - from);
    return (int) crc.getValue();
  }
}
