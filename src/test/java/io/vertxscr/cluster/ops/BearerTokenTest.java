package io.vertxscr.cluster.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a token is one that a header can have and nobody guesses. Only the very one is taken. */
class BearerTokenTest {
  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0123456789abcdef", "0123456789abcdef\n", "0123456789abcdef\r\n",
      "aGVhZCAtYyAzMiAvZGV2L3VyYW5kb20gfCBiYXNlNjQ=", "a-b.c_d~e+f/g-h.i_j"})
  void whatAHeaderCanHaveIsAToken(String content) {
    assertThat(new BearerToken(bytes(content)).isShown("Bearer " + content.strip())).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "0123456789abcde", "0123456789 abcdef", "0123456789abcdef\n0123456789abcdef",
      "0123456789abcdé0", "=0123456789abcdef", "0123456789abc\u0000def"})
  void whatIsNoneIsRefusedAndNotRepeated(String content) {
    assertThatThrownBy(() -> new BearerToken(bytes(content))).isInstanceOfSatisfying(ScrException.class, refused ->
        assertThat(refused.fault()).isEqualTo(Fault.BAD_CONFIGURATION))
        .hasMessageStartingWith("a token has 16 to 1024 letters").message().doesNotContain("0123456789");
  }

  @Test
  void everyOtherTokenOfItsLengthIsRefused() {
    String token = "0123456789abcdef";
    BearerToken expected = new BearerToken(bytes(token));
    for (int i = 0; i < token.length(); i++) {
      String other = token.substring(0, i) + (token.charAt(i) == 'x' ? 'y' : 'x') + token.substring(i + 1);
      assertThat(expected.isShown("Bearer " + other)).as(other).isFalse();
    }
    assertThat(expected.isShown(null)).isFalse();
  }
}
