package io.vertxscr.service.advice;

import io.vertxscr.service.Event;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Cost of background flushes for the application. It is the processor time of this daemon during a flush, divided by
 * the processors of the node, without the time of phases, which is measured separately. Of the leader's node, for all
 * nodes do the like. Load on network and file system is not included: an application that does not use them just then
 * loses nothing. On the node's loop.
 */
public final class FlushShare {
  private final LongSupplier processorNs;
  private final Set<Integer> flushing = new HashSet<>();
  private boolean inPhase;
  private long sinceNs;
  private long takenNs;
  private long flushes;

  /** @param processorNs nanoseconds that the daemon has kept all processors of the node busy, from anywhere */
  public FlushShare(LongSupplier processorNs) {
    this.processorNs = processorNs;
  }

  void notice(Event event) {
    account();
    switch (event) {
      case Event.FlushStarted flush -> flushing.add(flush.dataset());
      case Event.FlushDone flush -> {
        flushing.remove(flush.dataset());
        flushes++;
      }
      case Event.FlushGivenUp flush -> flushing.remove(flush.dataset());
      case Event.PhaseStarted _ -> inPhase = true;
      case Event.DatasetComplete _, Event.DatasetDiscarded _, Event.RunOver _ -> inPhase = false;
      default -> {
        // Not about flushes or phases.
      }
    }
  }

  private void account() {
    long now = processorNs.getAsLong();
    if (!flushing.isEmpty() && !inPhase) {
      takenNs += Math.max(0, now - sinceNs);
    }
    sinceNs = now;
  }

  /** All that flushes have taken so far. */
  double seconds() {
    account();
    return takenNs / 1e9;
  }

  /** Flushes that have come to their end. */
  long flushes() {
    return flushes;
  }
}
