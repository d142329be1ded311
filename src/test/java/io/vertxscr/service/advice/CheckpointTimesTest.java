package io.vertxscr.service.advice;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.config.policy.IntervalPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.node.VertxLoop;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Prefixes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: a checkpoint costs what the application has lost by it, from its start on. The clocks are the test's. */
class CheckpointTimesTest {
  private static final long SECOND = 1_000_000_000L;

  private final Vertx vertx = Vertx.vertx();
  private final Loop loop = new VertxLoop(vertx, (what, _) ->
      CompletableFuture.failedFuture(new IllegalStateException("no file in this test: " + what)));
  private final AtomicLong clock = new AtomicLong(77);
  private final AtomicLong processor = new AtomicLong(55);
  private final CheckpointTimes times =
      new CheckpointTimes(clock::get, new FlushShare(processor::get), new FailureBook(loop, new Prefixes(loop, "n1")));

  @AfterEach
  void close() {
    vertx.close().await();
  }

  private void open(boolean inBackground) {
    RunPolicy policy = RunPolicy.of(Descriptors.of(Redundancy.of(Scheme.XOR, 8), StoreDescriptor.of("/tmp", 1)),
        FlushPolicy.every(1, inBackground));
    RankMap map = new RankMap(List.of("n1"));
    times.open(new RunInfo(7, "/p", "job", map, Optional.empty(), RunInfo.InitialState.NOTHING, policy), true);
    times.notice(new Event.RunBegun(7, "job", "/p", 1, 1));
  }

  private void phase(int dataset, boolean checkpoint, long seconds) {
    times.notice(new Event.PhaseStarted(7, dataset, "b", checkpoint, !checkpoint));
    clock.addAndGet(seconds * SECOND);
    times.notice(new Event.DatasetComplete(7, dataset, false, new Event.PhaseExtent(1, 1, seconds * 1_000_000, 1)));
  }

  @Test
  void theTimeFromStartToCompleteIsTheCostAndOnlyOfGoodCheckpoints() {
    open(true);
    assertThat(times.cost()).isEmpty();
    phase(1, true, 2);
    assertThat(times.cost()).hasValue(2);
    phase(2, true, 4);
    assertThat(times.cost()).as("the mean").hasValue(3);
    phase(3, false, 100);
    times.notice(new Event.PhaseStarted(7, 4, "b", true, false));
    times.notice(new Event.DatasetDiscarded(7, 4, Fault.NOT_VALID, "rank 0",
        new Event.PhaseExtent(1, 1, 90_000_000, 1)));
    assertThat(times.cost()).as("neither output nor what was not valid").hasValue(3);
  }

  @Test
  void whatAFlushInTheBackgroundTakesIsPartOfTheCost() {
    open(true);
    phase(1, true, 2);
    times.notice(new Event.FlushStarted(1));
    processor.addAndGet(6 * SECOND);
    clock.addAndGet(100 * SECOND);
    times.notice(new Event.FlushDone(1, 1, 10, 10));
    assertThat(times.cost()).hasValue(8);
    phase(2, true, 2);
    assertThat(times.cost()).as("shared by two").hasValue(5);
  }

  @Test
  void whereTheApplicationWaitsForTheFlushTheWaitIsPartOfTheCost() {
    open(false);
    phase(1, true, 2);
    times.notice(new Event.FlushStarted(1));
    processor.addAndGet(6 * SECOND);
    clock.addAndGet(5 * SECOND);
    times.notice(new Event.FlushDone(1, 1, 10, 10));
    assertThat(times.cost()).hasValue(7);
  }

  /** A cost of 2 s is 10 % of the time with intervals of 18 s. */
  @Test
  void needCheckpointKeepsTheOverheadByThatCost() {
    open(true);
    IntervalPolicy tenPercent = new IntervalPolicy(0, 0, 10, false);
    assertThat(times.wanted(tenPercent).once()).as("what one costs is not known yet").isTrue();
    phase(1, true, 2);
    clock.addAndGet(18 * SECOND - 1_000_000);
    assertThat(times.wanted(tenPercent).once()).isFalse();
    clock.addAndGet(2_000_000);
    assertThat(times.wanted(tenPercent).once()).isTrue();
  }
}
