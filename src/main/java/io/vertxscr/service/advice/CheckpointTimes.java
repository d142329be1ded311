package io.vertxscr.service.advice;

import io.vertxscr.config.run.IntervalPolicy;
import io.vertxscr.flow.advice.CheckpointNeed.Conditions;
import io.vertxscr.flow.advice.CheckpointNeed.Known;
import io.vertxscr.flow.advice.CheckpointNeed;
import io.vertxscr.flow.advice.OptimalInterval.Failures;
import io.vertxscr.flow.advice.OptimalInterval;
import io.vertxscr.flow.advice.Wanted;
import io.vertxscr.model.Fault;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;
import java.util.EnumSet;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * When checkpoints were written and what they took from the application, as this leader has seen it: from the begin of
 * the phase to its end, with the protection, and with the flush where complete-output waits for it. On the node's loop.
 */
public final class CheckpointTimes implements Observer {
  private static final double NS = 1e9;
  /** Without any failure seen, one a day is expected. */
  static final double PRIOR_SECONDS = 86_400;
  private static final Set<Fault> LOSSES = EnumSet.of(Fault.NODE_LOST, Fault.RANK_LOST);

  private final LongSupplier nanoClock;
  private boolean waitsForFlush;
  private long lastEndNs;
  private int checkpoint;
  private int written;
  private double costSeconds;
  private long failures;
  private long computedNs;
  private long begunNs;
  private boolean running;

  /**
   * Begins to watch.
   *
   * @param nanoClock counts nanoseconds from anywhere, as {@link System#nanoTime}
   */
  CheckpointTimes(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.lastEndNs = nanoClock.getAsLong();
  }

  /** Whether complete-output waits for flushes. */
  void waitsForFlush(boolean waits) {
    waitsForFlush = waits;
  }

  @Override
  public void notice(Event event) {
    switch (event) {
      case Event.RunBegun _ -> {
        lastEndNs = nanoClock.getAsLong();
        begunNs = lastEndNs;
        running = true;
      }
      case Event.RunOver over -> ended(over);
      case Event.PhaseStarted phase -> checkpoint = phase.checkpoint() ? phase.dataset() : 0;
      case Event.DatasetComplete complete when complete.dataset() == checkpoint -> {
        written++;
        costSeconds += complete.extent().phaseUs() / 1e6;
        lastEndNs = nanoClock.getAsLong();
      }
      case Event.FlushDone flush when waitsForFlush && flush.dataset() == checkpoint -> {
        costSeconds += (nanoClock.getAsLong() - lastEndNs) / NS;
        lastEndNs = nanoClock.getAsLong();
      }
      default -> {
        // Not about the costs of checkpoints.
      }
    }
  }

  /** What a checkpoint takes from the application, on the average; empty before the first. */
  public OptionalDouble cost() {
    return written == 0 ? OptionalDouble.empty() : OptionalDouble.of(costSeconds / written);
  }

  /** By Daly, from the cost so far and the failures that this leader has seen; empty before the first checkpoint. */
  public OptionalDouble optimalSeconds() {
    Failures seen = new Failures(failures, (computedNs + runningNs()) / NS, PRIOR_SECONDS);
    return written == 0 ? OptionalDouble.empty()
        : OptionalDouble.of(OptimalInterval.daly(costSeconds / written, seen.mtbfSeconds()));
  }

  private long runningNs() {
    return running ? nanoClock.getAsLong() - begunNs : 0;
  }

  private void ended(Event.RunOver over) {
    computedNs += runningNs();
    running = false;
    if (over.fault().filter(LOSSES::contains).isPresent()) {
      failures++;
    }
  }

  /** What need-checkpoint is to say. */
  Wanted wanted(IntervalPolicy policy) {
    Known known = new Known((nanoClock.getAsLong() - lastEndNs) / NS, cost(), optimalSeconds());
    return CheckpointNeed.wanted(
        new Conditions(policy.everyCalls(), policy.seconds(), policy.overheadPercent(), policy.optimal()), known);
  }
}
