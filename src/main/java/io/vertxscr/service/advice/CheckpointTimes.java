package io.vertxscr.service.advice;

import io.vertxscr.config.policy.IntervalPolicy;
import io.vertxscr.flow.advice.Advice;
import io.vertxscr.flow.advice.CheckpointNeed.Conditions;
import io.vertxscr.flow.advice.CheckpointNeed.Known;
import io.vertxscr.flow.advice.CheckpointNeed;
import io.vertxscr.flow.advice.LevelIntervals;
import io.vertxscr.model.FailureHistory.Level;
import io.vertxscr.model.Fault;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.LongSupplier;

/**
 * Times and costs of checkpoints, as measured by this leader. A cost is the time of the phase with its protection, and
 * of the flush: the wait of complete-output for it, or else {@link FlushShare}. On the node's loop.
 */
public final class CheckpointTimes implements Observer {
  private static final double NS = 1e9;
  private static final long SAVE_NS = 60_000_000_000L;
  private static final Map<Fault, Level> LOSSES = Map.of(Fault.RANK_LOST, Level.PROCESS, Fault.NODE_LOST, Level.NODE);

  private final LongSupplier nanoClock;
  private final FlushShare background;
  private final FailureBook book;
  private final Map<Level, Mean> phases = new EnumMap<>(Level.class);
  private final Mean waits = new Mean();
  private boolean waitsForFlush;
  private Level writing = Level.PROCESS;
  private long lastEndNs;
  private int checkpoint;
  private Level lastLoss;
  private long accountedNs;
  private long savedNs;
  private boolean running;

  /** Seconds of so many. */
  private static final class Mean {
    private long count;
    private double seconds;

    void add(double more) {
      count++;
      seconds += more;
    }

    double get() {
      return count == 0 ? 0 : seconds / count;
    }
  }

  /**
   * Starts the measurement.
   *
   * @param nanoClock counts nanoseconds from anywhere, as {@link System#nanoTime}
   */
  public CheckpointTimes(LongSupplier nanoClock, FlushShare background, FailureBook book) {
    this.nanoClock = nanoClock;
    this.background = background;
    this.book = book;
    this.lastEndNs = nanoClock.getAsLong();
  }

  /** A run is about to begin, or continues under this leader. */
  void open(RunInfo info, boolean begins) {
    waitsForFlush = !info.policy().flush().background();
    book.open(info.prefix());
    if (!begins) {
      begin();
    }
  }

  private void begin() {
    lastEndNs = nanoClock.getAsLong();
    accountedNs = lastEndNs;
    savedNs = lastEndNs;
    running = true;
  }

  /** Failure level that the dataset being written protects against. */
  public void writes(Level level) {
    writing = level;
  }

  @Override
  public void notice(Event event) {
    if (!waitsForFlush) {
      background.notice(event);
    }
    switch (event) {
      case Event.Restored restored when lastLoss != null && restored.ranks().fetched() > 0 -> {
        Level seemed = lastLoss;
        book.note(history -> history.worse(seemed, Level.PREFIX));
        lastLoss = null;
      }
      case Event.RunBegun _ -> {
        lastLoss = null;
        begin();
      }
      case Event.RunOver over -> ended(over);
      case Event.PhaseStarted phase -> checkpoint = phase.checkpoint() ? phase.dataset() : 0;
      case Event.DatasetComplete complete when complete.dataset() == checkpoint -> {
        phases.computeIfAbsent(writing, _ -> new Mean()).add(complete.extent().phaseUs() / 1e6);
        lastEndNs = nanoClock.getAsLong();
        measured();
      }
      case Event.FlushDone flush when waitsForFlush && flush.dataset() == checkpoint -> {
        waits.add((nanoClock.getAsLong() - lastEndNs) / NS);
        lastEndNs = nanoClock.getAsLong();
        measured();
      }
      case Event.FlushDone _ -> measured();
      default -> {
        // Not about the costs of checkpoints.
      }
    }
  }

  private void measured() {
    phases.forEach((level, mean) -> note(level, mean.get()));
    long flushes = waits.count + background.flushes();
    if (flushes > 0 && !phases.containsKey(Level.PREFIX)) {
      note(Level.PREFIX, phaseMean() + flushSeconds() / flushes);
    }
    if (nanoClock.getAsLong() - savedNs >= SAVE_NS) {
      save();
    }
  }

  private void note(Level level, double seconds) {
    book.note(history -> history.costing(level, (long) (seconds * 1e6)));
  }

  private double flushSeconds() {
    return waits.seconds + background.seconds();
  }

  private long written() {
    return phases.values().stream().mapToLong(mean -> mean.count).sum();
  }

  private double phaseMean() {
    return phases.values().stream().mapToDouble(mean -> mean.seconds).sum() / Math.max(1, written());
  }

  /** Returns the average cost of a checkpoint with its share of flushes; empty before the first. */
  public OptionalDouble cost() {
    return written() == 0 ? OptionalDouble.empty() : OptionalDouble.of(phaseMean() + flushSeconds() / written());
  }

  /** From costs and failures; empty before the first checkpoint of this leader. */
  public OptionalDouble optimalSeconds() {
    account();
    return written() == 0 ? OptionalDouble.empty() : LevelIntervals.of(book.history()).used();
  }

  private void account() {
    long now = nanoClock.getAsLong();
    if (running) {
      long us = (now - accountedNs) / 1000;
      book.note(history -> history.computed(us));
      accountedNs += us * 1000;
    }
  }

  private void save() {
    account();
    savedNs = nanoClock.getAsLong();
    book.save();
  }

  private void ended(Event.RunOver over) {
    account();
    running = false;
    lastLoss = over.fault().map(LOSSES::get).orElse(null);
    if (lastLoss != null) {
      Level seems = lastLoss;
      book.note(history -> history.failed(seems));
    }
    book.save();
  }

  /** Returns the rule for need-checkpoint. */
  Advice wanted(IntervalPolicy policy) {
    Known known = new Known((nanoClock.getAsLong() - lastEndNs) / NS, cost(), optimalSeconds());
    return CheckpointNeed.wanted(
        new Conditions(policy.everyCalls(), policy.seconds(), policy.overheadPercent(), policy.optimal()), known);
  }
}
