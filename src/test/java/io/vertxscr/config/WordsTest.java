package io.vertxscr.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: sizes are read as people write them, and a mistyped word is recognized. */
class WordsTest {
  @ParameterizedTest
  @CsvSource({"0, 0", "4096, 4096", "4096b, 4096", "300KB, 307200", "300k, 307200",
      "1.5g, 1610612736", "2T, 2199023255552",
      "0.5K, 512", "9223372036854775807, 9223372036854775807", "7p, 7881299347898368"})
  void sizesCountInPowersOf1024(String text, long bytes) {
    assertThat(ByteSize.parse(text)).hasValue(bytes);
    assertThat(new Kind.Bytes(bytes, bytes).complaint(text)).isEmpty();
    assertThat(new Kind.Bytes(-1, bytes - 1).complaint(text)).hasValueSatisfying(c -> assertThat(c).contains("300KB"));
  }

  @ParameterizedTest
  @CsvSource({"''", "k", "-1", "1x", "1kk", "1.k", ".5k", "9223372036854775808", "9000000p", "1 k", "1e3"})
  void whatIsNoSizeIsRefused(String text) {
    assertThat(ByteSize.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"kitten, sitting, 3", "'', abc, 3", "abc, '', 3", "same, same, 0", "ab, ba, 2"})
  void editsCountsLettersToChange(String a, String b, int edits) {
    assertThat(Nearest.edits(a, b)).isEqualTo(edits);
    assertThat(Nearest.edits(b, a)).isEqualTo(edits);
  }

  @ParameterizedTest
  @CsvSource({"confg, config", "vresion, version", "xyz, ", "hlep, help"})
  void onlyAWordThatIsNearIsProposed(String typed, String meant) {
    assertThat(Nearest.to(typed, List.of("config", "version", "help")).orElse(null)).isEqualTo(meant);
  }
}
