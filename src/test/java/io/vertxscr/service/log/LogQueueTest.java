package io.vertxscr.service.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.LogLine;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: a log has all lines in their order with few writes, soon, and after a failure too. */
class LogQueueTest {
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 1, 1, 0, 0);

  private final VirtualTime time = new VirtualTime(new SplittableRandom(1));
  private final Loop loop = time.loop();
  private final List<List<LogLine>> written = new ArrayList<>();
  private boolean fails;
  private final LogQueue queue = new LogQueue(loop, lines -> {
    if (fails) {
      throw new ScrException(Fault.IO, "not now");
    }
    written.add(lines);
  });

  private static LogLine line(int number) {
    return LogLine.event("E").dataset(number).at(TIME, "n", "1");
  }

  private static List<LogLine> lines(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(LogQueueTest::line).toList();
  }

  private void add(int number) {
    loop.later(() -> queue.add(List.of(line(number))));
    time.runUntil(() -> false, Duration.ofMillis(10));
  }

  private List<LogLine> all() {
    return written.stream().flatMap(List::stream).toList();
  }

  @Test
  void whatComesInTheRestBehindAWriteIsOneWrite() {
    IntStream.rangeClosed(1, 50).forEach(this::add);
    time.runUntil(() -> false, Duration.ofMillis(250));
    assertThat(all()).isEqualTo(lines(1, 50));
    assertThat(written).hasSizeBetween(2, 4);
    assertThat(written.getFirst()).as("at once").hasSize(1);
    time.runUntil(() -> false, Duration.ofSeconds(5));
    assertThat(time.level(loop).timers()).as("timers of a log that has nothing to write").isZero();
  }

  @Test
  void itsEndWaitsForNoRest() {
    IntStream.rangeClosed(1, 3).forEach(this::add);
    assertThat(all()).hasSize(1);
    loop.later(queue::end);
    time.runUntil(() -> false, Duration.ofMillis(10));
    assertThat(all()).isEqualTo(lines(1, 3));
  }

  @Test
  void linesThatCouldNotBeWrittenComeFirstLater() {
    fails = true;
    IntStream.rangeClosed(1, 3).forEach(this::add);
    assertThat(written).isEmpty();
    fails = false;
    time.runUntil(() -> false, Duration.ofSeconds(2));
    assertThat(all()).isEqualTo(lines(1, 3));
  }
}
