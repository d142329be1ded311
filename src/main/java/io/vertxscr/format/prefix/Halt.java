package io.vertxscr.format.prefix;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * When a run is to stop, and why it did. A condition that is missing never holds.
 *
 * @param checkpointsLeft how many more checkpoints may be written
 * @param exitAfterSeconds since 1970: stop at the first checkpoint from then on
 * @param exitBeforeSeconds since 1970: stop early enough to be gone by then
 * @param haltSeconds stop when the allocation has no more than this left
 * @param reason a run stopped, or must not start, for this reason: {@code TIME_LIMIT}, {@code JOB_HALTED}, ...
 */
public record Halt(OptionalInt checkpointsLeft, OptionalLong exitAfterSeconds, OptionalLong exitBeforeSeconds,
    OptionalLong haltSeconds, Optional<String> reason) {
  /** No condition at all. */
  public static final Halt NONE = new Halt(OptionalInt.empty(), OptionalLong.empty(), OptionalLong.empty(),
      OptionalLong.empty(), Optional.empty());
}
