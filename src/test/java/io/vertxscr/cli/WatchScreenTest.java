package io.vertxscr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: a page is redrawn in place, and the terminal comes back as it was. {@code TerminalIT} has a real one. */
class WatchScreenTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  private int restored;

  private WatchScreen screen(String keys) {
    InputStream typed = new ByteArrayInputStream(keys.getBytes(StandardCharsets.US_ASCII));
    return new WatchScreen(out, Optional.of(() -> restored++), typed);
  }

  private String shown() {
    String text = bytes.toString(StandardCharsets.UTF_8);
    bytes.reset();
    return text;
  }

  @Test
  void whatIsSwitchedOnForTheScreenIsSwitchedOffOnce() {
    WatchScreen screen = screen("");
    assertThat(shown()).isEqualTo("\u001b[?1049h\u001b[?25l\u001b[?7l");
    screen.close();
    assertThat(shown()).isEqualTo("\u001b[?7h\u001b[?25h\u001b[?1049l");
    screen.close();
    assertThat(shown()).isEmpty();
    assertThat(restored).isEqualTo(1);
  }

  @Test
  void aShorterPageLeavesNothingOfALongerOne() {
    try (WatchScreen screen = screen("")) {
      shown();
      screen.draw(List.of("a", "b"));
      assertThat(shown()).isEqualTo("\u001b[Ha\u001b[K\r\nb\u001b[K\r\nq quits\u001b[K\u001b[J");
    }
  }

  @Test
  void onlyQEndsIt() throws Exception {
    assertThat(screen("xyq").isQuit(Duration.ofMinutes(1))).isTrue();
    assertThat(screen("Q").isQuit(Duration.ofMinutes(1))).isTrue();
    assertThat(screen("xyz").isQuit(Duration.ofMillis(1))).isFalse();
  }
}
