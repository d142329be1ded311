package io.vertxscr.model;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * When a run is to stop, and why it did. A condition that is missing never holds.
 *
 * @param checkpointsLeft how many more checkpoints may be written
 * @param counted the last checkpoint that was counted down in that; only with a number of them
 * @param exitAfterSeconds since 1970: stop at the first checkpoint from then on
 * @param exitBeforeSeconds since 1970: stop early enough to be gone by then
 * @param haltSeconds stop when the allocation has no more than this left; 0 for never
 * @param reason a run stopped, or must not start, for this reason: {@code TIME_LIMIT}, {@code JOB_HALTED}, ...
 * @param immediate whether the run is to end at once, without waiting for a checkpoint; only with a reason
 */
public record Halt(OptionalInt checkpointsLeft, Optional<Counted> counted, OptionalLong exitAfterSeconds,
    OptionalLong exitBeforeSeconds, OptionalLong haltSeconds, Optional<String> reason, boolean immediate) {
  /** No condition at all. */
  public static final Halt NONE = new Halt(OptionalInt.empty(), Optional.empty(), OptionalLong.empty(),
      OptionalLong.empty(), OptionalLong.empty(), Optional.empty(), false);

  /** The reasons that we write. Others may write others. */
  public enum Reason {
    TIME_LIMIT, NO_CHECKPOINTS_LEFT, EXIT_BEFORE_TIME, EXIT_AFTER_TIME, JOB_HALTED, SCR_INIT_FAILED, SCR_FINALIZE_CALLED
  }

  /** A checkpoint, by the number of its run and its id; later ones of a run have higher ids. */
  public record Counted(long run, int dataset) {}

  public Halt {
    counted = checkpointsLeft.isPresent() ? counted : Optional.empty();
  }

  /** Returns the conditions with another number of checkpoints. */
  public Halt withCheckpointsLeft(OptionalInt count) {
    return new Halt(count, counted, exitAfterSeconds, exitBeforeSeconds, haltSeconds, reason, immediate);
  }

  /** Returns the conditions with another time after which to stop. */
  public Halt withExitAfter(OptionalLong seconds) {
    return new Halt(checkpointsLeft, counted, seconds, exitBeforeSeconds, haltSeconds, reason, immediate);
  }

  /** Returns the conditions with another time before which to stop. */
  public Halt withExitBefore(OptionalLong seconds) {
    return new Halt(checkpointsLeft, counted, exitAfterSeconds, seconds, haltSeconds, reason, immediate);
  }

  /** Returns the conditions with another remaining time of the allocation at which to stop. */
  public Halt withHaltSeconds(OptionalLong seconds) {
    return new Halt(checkpointsLeft, counted, exitAfterSeconds, exitBeforeSeconds, seconds, reason, immediate);
  }

  /** Returns the conditions with this default of the remaining time. */
  public Halt orHaltSeconds(long seconds) {
    return haltSeconds.isPresent() ? this : withHaltSeconds(OptionalLong.of(seconds));
  }

  /** Returns the conditions with another reason, not immediate. */
  public Halt withReason(Optional<String> why) {
    return new Halt(checkpointsLeft, counted, exitAfterSeconds, exitBeforeSeconds, haltSeconds, why, false);
  }

  /** Returns an immediate halt, in addition to all other conditions. */
  public Halt now(String why) {
    return new Halt(checkpointsLeft, counted, exitAfterSeconds, exitBeforeSeconds, haltSeconds, Optional.of(why), true);
  }

  /** Remembers why a run stopped; the first reason stays. */
  public Halt because(Reason why) {
    return reason.isPresent() ? this : withReason(Optional.of(why.name()));
  }

  /** One checkpoint fewer, where they are counted; not below 0. Nothing changes if it was counted before. */
  public Halt afterCheckpoint(long run, int dataset) {
    boolean before = counted.filter(last -> last.run() == run && last.dataset() >= dataset).isPresent();
    return checkpointsLeft.isEmpty() || before ? this
        : new Halt(OptionalInt.of(Math.max(0, checkpointsLeft.getAsInt() - 1)), Optional.of(new Counted(run, dataset)),
            exitAfterSeconds, exitBeforeSeconds, haltSeconds, reason, immediate);
  }
}
