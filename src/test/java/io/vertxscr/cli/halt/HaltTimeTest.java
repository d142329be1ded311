package io.vertxscr.cli.halt;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneId;
import java.time.ZonedDateTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HaltTimeTest {
  private static final ZonedDateTime NOW = ZonedDateTime.of(2026, 11, 20, 10, 0, 0, 0, ZoneId.of("Europe/Berlin"));

  @ParameterizedTest
  @CsvSource({
      "1795176000, 1795176000",
      "now, 1795165200",
      "NOW, 1795165200",
      "2026-11-20T11:58:50, 1795172330",
      "2026-11-20 11:58:50, 1795172330",
      "'  2026-11-20   11:58 ', 1795172280",
      "2026-11-20t11:58:50z, 1795175930",
      "2026-11-20T11:58:50+02:00, 1795168730",
      "2026-11-20T11:58:50-02:00, 1795183130",
      "2026-11-21, 1795215600",
      "11:58, 1795172280",
      "11:58:50, 1795172330",
      "10:00, 1795165200",
      "09:59, 1795251540",
      "9:59, 1795251540",
      "11:58pm, 1795215480",
      "12pm, 1795172400",
      "12am, 1795215600",
      "12:00pm today, 1795172400",
      "8:30am tomorrow, 1795246200",
      "8:30 AM today, 1795159800",
      "8:30:05 tomorrow, 1795246205",
      "+90m, 1795170600",
      "+1h30m, 1795170600",
      "+2d, 1795338000",
      "+1d1h1m1s, 1795255261",
      "+5s, 1795165205"})
  void theseAreTimes(String text, long seconds) {
    assertThat(HaltTime.parse(text, NOW)).contains(seconds);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "+", "+5", "5", "-5m", "tomorrow", "25:00", "2026-13-01", "2026-11-20T", "13pm", "0am",
      "8 tomorrow", "8:60", "8:30am yesterday", "+1m1h", "2026-02-30T00:00:00", "1795176000s", "99999999999999999999"})
  void theseAreNone(String text) {
    assertThat(HaltTime.parse(text, NOW)).isEmpty();
  }

  @Test
  void aTimeIsShownWithItsDistance() {
    assertThat(HaltTime.show(1795172330, NOW)).isEqualTo("2026-11-20T11:58:50 (in 1 h 58 min)");
    assertThat(HaltTime.show(1795165200 - 59, NOW)).endsWith("(59 s ago)");
    assertThat(HaltTime.show(1795165200 + 3 * 86400 + 7200, NOW)).endsWith("(in 3 d 2 h)");
    assertThat(HaltTime.show(1795165200, NOW)).endsWith("(in 0 s)");
    assertThat(HaltTime.show(1795165200 - 61, NOW)).endsWith("(1 min 1 s ago)");
  }
}
