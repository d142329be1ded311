package io.vertxscr.model;

import io.vertxscr.model.Halt.Reason;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What a user wants changed in the halt conditions. A condition is set, removed, or stays. Pure.
 *
 * @param set new values: a number, or a time in seconds since 1970
 * @param unset conditions to remove
 * @param reason the new reason; empty where it stays
 * @param unsetReason whether to remove the reason
 * @param immediate whether the run is to end at once, for this reason
 */
public record HaltChange(Map<HaltCondition, Long> set, Set<HaltCondition> unset, Optional<String> reason,
    boolean unsetReason, boolean immediate) {
  /** The conditions that have a value. */
  public enum HaltCondition {
    CHECKPOINTS_LEFT(Reason.NO_CHECKPOINTS_LEFT), EXIT_BEFORE(Reason.EXIT_BEFORE_TIME),
    EXIT_AFTER(Reason.EXIT_AFTER_TIME), HALT_SECONDS(Reason.TIME_LIMIT);

    private final Reason reason;

    HaltCondition(Reason reason) {
      this.reason = reason;
    }

    private Halt in(Halt halt, OptionalLong value) {
      return switch (this) {
        case CHECKPOINTS_LEFT -> halt.withCheckpointsLeft(
            value.isPresent() ? OptionalInt.of(Math.toIntExact(value.getAsLong())) : OptionalInt.empty());
        case EXIT_BEFORE -> halt.withExitBefore(value);
        case EXIT_AFTER -> halt.withExitAfter(value);
        case HALT_SECONDS -> halt.withHaltSeconds(value);
      };
    }
  }

  public HaltChange {
    set = Map.copyOf(set);
    unset = Set.copyOf(unset);
  }


  /** Returns the conditions after it; one that is both set and removed is set. */
  public Halt applied(Halt old) {
    Halt halt = old;
    for (HaltCondition condition : HaltCondition.values()) {
      if (set.containsKey(condition)) {
        halt = condition.in(halt, OptionalLong.of(set.get(condition)));
      } else if (unset.contains(condition)) {
        halt = condition.in(halt, OptionalLong.empty());
      }
    }
    if (unsetReason) {
      halt = halt.withReason(Optional.empty());
    }
    if (immediate) {
      return halt.now(reason.orElse(Reason.JOB_HALTED.name()));
    }
    return reason.isPresent() ? halt.withReason(reason) : halt;
  }

  /** Like {@link #applied}, and removes the reason of a run that has stopped for a removed condition. */
  public Halt appliedWithReasons(Halt old) {
    boolean isRemoved = !old.immediate() && unset.stream()
        .anyMatch(condition -> old.reason().equals(Optional.of(condition.reason.name())));
    return applied(isRemoved ? old.withReason(Optional.empty()) : old);
  }

  /** Collects a change from options; {@code null} for those that are not given. */
  public static final class Collector {
    private final Map<HaltCondition, Long> set = new EnumMap<>(HaltCondition.class);
    private final Set<HaltCondition> unset = EnumSet.noneOf(HaltCondition.class);

    /** A condition, if it is given or is to be removed. */
    public Collector with(HaltCondition condition, OptionalLong value, boolean remove) {
      value.ifPresent(given -> set.put(condition, given));
      if (remove) {
        unset.add(condition);
      }
      return this;
    }

    /** The change, with what is to become of the reason. */
    public HaltChange change(Optional<String> reason, boolean unsetReason, boolean immediate) {
      return new HaltChange(set, unset, reason, unsetReason, immediate);
    }
  }
}
