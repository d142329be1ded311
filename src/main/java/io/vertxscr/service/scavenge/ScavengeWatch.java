package io.vertxscr.service.scavenge;

import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.run.RunWatch;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Triggers scavenges: some time after a run died without a successor, and before the allocation ends. On the leader's
 * loop.
 *
 * <pre>
 *   unknown --a run begins, or goes on--> busy --dies--> idle --after so long--> scavenge
 *      |                                   ^  |           |
 *      +--leads, and there is no run--> idle  +--ends--> ended (its end has flushed all that it wanted)
 *                                          +--- a run begins ---+
 * </pre>
 */
public final class ScavengeWatch implements RunWatch {
  private static final Logger LOG = LoggerFactory.getLogger(ScavengeWatch.class);
  /** Fraction of the remaining time after which the check is repeated, for newer checkpoints. */
  private static final int LOOKS = 4;

  private final Loop loop;
  private final Membership membership;
  private final Scavenger scavenger;
  private final Times times;
  private State state = State.UNKNOWN;
  /** Round of the timers; a timer of an earlier round does nothing. */
  private long round;
  private boolean endWatched;

  private enum State { UNKNOWN, BUSY, IDLE, ENDED }

  /**
   * @param seconds to wait after a run has died, and to take before the allocation ends; 0 for never
   * @param endSeconds when that is, since 1970, as far as it is known by now
   */
  public record Times(int seconds, Supplier<OptionalLong> endSeconds, LongSupplier clockSeconds) {}

  public ScavengeWatch(Loop loop, Membership membership, Scavenger scavenger, Times times) {
    this.loop = loop;
    this.membership = membership;
    this.scavenger = scavenger;
    this.times = times;
  }

  @Override
  public void busy() {
    state = State.BUSY;
    round++;
    watchEnd();
  }

  @Override
  public void died() {
    idle();
  }

  @Override
  public void ended() {
    state = State.ENDED;
    round++;
  }

  /** Of an earlier leader's run it may not have heard. */
  @Override
  public void leads() {
    if (state == State.UNKNOWN) {
      idle();
    }
    watchEnd();
  }

  private void idle() {
    state = State.IDLE;
    long mine = ++round;
    if (times.seconds() > 0) {
      loop.after(times.seconds() * 1000L, () -> {
        if (mine == round) {
          scavenge("no run has begun for " + times.seconds() + " s");
        }
      });
    }
  }

  private void watchEnd() {
    OptionalLong end = times.endSeconds().get();
    if (times.seconds() > 0 && !endWatched && end.isPresent()) {
      endWatched = true;
      long seconds = end.getAsLong() - times.clockSeconds().getAsLong() - times.seconds();
      loop.after(Math.max(1, seconds * 1000L), () -> nearEnd(end.getAsLong()));
    }
  }

  private void nearEnd(long endSeconds) {
    long left = endSeconds - times.clockSeconds().getAsLong();
    if (left <= 0) {
      return;
    }
    scavenge("the allocation ends in " + left + " s");
    loop.after(Math.max(1, times.seconds() * 1000L / LOOKS), () -> nearEnd(endSeconds));
  }

  private void scavenge(String why) {
    if (membership.isLeader()) {
      LOG.info("scavenging: {}", why);
      scavenger.scavenge(why).onFailure(failure -> LOG.warn("scavenging: {}", failure.getMessage()));
    }
  }
}
