package io.vertxscr.format.prefix;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDateTime;
import org.junit.jupiter.api.Test;

class LogLineTest {
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 11, 20, 11, 58, 50);
  private static final String EVENT =
      "2026-11-20T11:58:50: host=node0, jobid=439, event=CHECKPOINT_START, note=\"/ssd\", dset=1, name=\"b.1\"";
  private static final String TRANSFER = "2026-11-20T11:58:50: host=node0, jobid=439, xfer=ENCODE, from=/ssd, to=/p,"
      + " dset=1, secs=0.002206, bytes=4194304.000000, files=4";

  @Test
  void theLinesOfTheFormatDocument() {
    LogLine event = LogLine.event("CHECKPOINT_START").dataset(1).text("name", "b.1").text("note", "/ssd")
        .at(TIME, "node0", "439");
    LogLine transfer = LogLine.transfer("ENCODE").bytesAndFiles(4194304, 4).seconds(0.002206).dataset(1)
        .text("from", "/ssd").text("to", "/p").at(TIME, "node0", "439");
    assertThat(event.encode()).isEqualTo(EVENT);
    assertThat(transfer.encode()).isEqualTo(TRANSFER);
    assertThat(LogLine.decode(EVENT)).contains(event);
    assertThat(LogLine.decode(TRANSFER)).contains(transfer);
    assertThat(transfer.seconds()).hasValue(0.002206);
    assertThat(event.event()).contains("CHECKPOINT_START");
  }

  @Test
  void noTextBreaksItsLine() {
    LogLine line = LogLine.event("RUN_END").text("note", "rank \"4\", lost\nat 12: it, said=x").at(TIME, "n", "1");
    assertThat(line.encode()).hasLineCount(1);
    assertThat(LogLine.decode(line.encode())).contains(line);
  }

  @Test
  void aLineThatWasCutAnywhereIsNoLineOrAShorterOneAndNeverAFailure() {
    for (int end = 0; end < TRANSFER.length(); end++) {
      LogLine.decode(TRANSFER.substring(0, end)).ifPresent(line -> assertThat(TRANSFER).startsWith(line.encode()
          .substring(0, 40)));
    }
    assertThat(LogLine.decode("")).isEmpty();
    assertThat(LogLine.decode(EVENT.substring(0, EVENT.length() - 1))).isEmpty();
    assertThat(LogLine.decode("2026-13-20T11:58:50: host=a, jobid=1, event=X")).isEmpty();
  }
}
