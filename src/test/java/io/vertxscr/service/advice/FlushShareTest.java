package io.vertxscr.service.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.vertxscr.model.Fault;
import io.vertxscr.service.Event;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FlushShareTest {
  private final AtomicLong processor = new AtomicLong(1_000);
  private final FlushShare share = new FlushShare(processor::get);

  private void after(long seconds, Event event) {
    processor.addAndGet(seconds * 1_000_000_000L);
    share.notice(event);
  }

  @Test
  void processorTimeCountsWhileAFlushIsUnderWayAndNoPhase() {
    after(100, new Event.FlushStarted(1));                // nothing under way before
    after(2, new Event.PhaseStarted(7, 2, "b.2", true, false));
    after(50, new Event.DatasetComplete(7, 2, false, new Event.PhaseExtent(1, 1, 1, 1)));
    after(3, new Event.FlushStarted(2));                  // two at once count once
    after(4, new Event.FlushDone(1, 1, 10, 10));
    after(5, new Event.FlushGivenUp(2, 3, Fault.IO, "broken", 10));
    after(100, new Event.Evicted(1));
    assertThat(share.seconds()).isCloseTo(2 + 3 + 4 + 5, within(1e-9));
    assertThat(share.flushes()).isOne();
  }
}
