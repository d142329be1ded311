package io.vertxscr.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

/** Goal: what moves is left alone forever, what does not is ended once, in time. Method: the test ticks. */
class PeerWatchdogTest {
  private static final int TICK_MS = 10;
  private static final int LIMIT_MS = 100;
  /** The first only sees the new limit, the last is begun. */
  private static final int TICKS = LIMIT_MS / TICK_MS + 2;

  private final PeerWatchdog watchdog = new PeerWatchdog(TICK_MS);
  private final List<String> ended = new ArrayList<>();
  private final PeerWatchdog.Watch watch = watchdog.watch(() -> ended.add("one"));
  private final IntConsumer ticks = count -> {
    for (int i = 0; i < count; i++) {
      watchdog.tick();
    }
  };

  @Test
  void whatMovesBeforeEachLimitIsOverIsNeverSilent() {
    watch.limitSilence(LIMIT_MS);
    for (int round = 0; round < 100; round++) {
      ticks.accept(TICKS);
      watch.moved();
    }
    assertThat(ended).isEmpty();
    ticks.accept(TICKS);
    assertThat(ended).isEmpty();
    ticks.accept(1);
    assertThat(ended).containsExactly("one");
    ticks.accept(10 * TICKS);
    assertThat(ended).as("once").hasSize(1);
  }

  @Test
  void aLimitOfAllTheTimeIsOverWhateverMoves() {
    watch.limitTotal(LIMIT_MS);
    for (int tick = 0; tick < TICKS; tick++) {
      ticks.accept(1);
      watch.moved();
    }
    assertThat(ended).isEmpty();
    ticks.accept(1);
    assertThat(ended).hasSize(1);
  }

  @Test
  void withoutALimitOrAfterItsEndNothingIsSilent() {
    PeerWatchdog.Watch other = watchdog.watch(() -> ended.add("other"));
    other.limitSilence(LIMIT_MS);
    watch.limitSilence(LIMIT_MS);
    ticks.accept(TICKS);
    watch.noLimit();
    other.end();
    ticks.accept(10 * TICKS);
    assertThat(ended).isEmpty();
  }
}
