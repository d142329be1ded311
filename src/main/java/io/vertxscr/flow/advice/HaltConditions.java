package io.vertxscr.flow.advice;

import io.vertxscr.model.Halt.Reason;
import io.vertxscr.model.Halt;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Whether a run must stop. All times in seconds since 1970.
 *
 * <pre>
 *   ExitReason is there                            its text: somebody has said so, or an earlier run has stopped;
 *                                                  not TIME_LIMIT of an allocation that is over
 *   allocation's end - now &lt;= HaltSeconds &gt; 0   TIME_LIMIT
 *   CheckpointsLeft is 0                           NO_CHECKPOINTS_LEFT
 *   now &gt;= ExitBefore - HaltSeconds             EXIT_BEFORE_TIME
 *   now &gt;= ExitAfter                            EXIT_AFTER_TIME
 * </pre>
 * The first that holds is the one that is told.
 */
public final class HaltConditions {
  private HaltConditions() {}

  /**
   * A condition that holds.
   *
   * @param reason as it stands in the halt file
   * @param why a sentence without a full stop
   */
  public record Met(String reason, String why) {
    Met(Reason reason, String why) {
      this(reason.name(), why);
    }

    /** Why, with the reason as it stands in the halt file. */
    public String words() {
      return why + " (" + reason + ")";
    }
  }

  /**
   * Whether the file's reason only tells how an earlier run ended, and admits further ones. It finished, and a new
   * start is deliberate; or the time of another allocation was up, and the job continues in the next one.
   */
  public static boolean isOfEarlierRun(Halt halt, OptionalLong endSeconds, long nowSeconds) {
    return halt.reason().equals(Optional.of(Reason.SCR_FINALIZE_CALLED.name())) || isPast(halt, endSeconds, nowSeconds);
  }

  /** Whether the time of another allocation was up: this one has more time left than is to remain. */
  private static boolean isPast(Halt halt, OptionalLong endSeconds, long nowSeconds) {
    long slack = halt.haltSeconds().orElse(0);
    return halt.reason().equals(Optional.of(Reason.TIME_LIMIT.name())) && !halt.immediate() && slack > 0
        && endSeconds.isPresent() && endSeconds.getAsLong() - nowSeconds > slack;
  }

  /**
   * The condition that holds now.
   *
   * @param endSeconds when the allocation ends; empty if unknown: then HaltSeconds alone never holds
   */
  public static Optional<Met> met(Halt halt, OptionalLong endSeconds, long nowSeconds) {
    long slack = Math.max(0, halt.haltSeconds().orElse(0));
    if (halt.reason().isPresent() && !halt.reason().get().isEmpty() && !isPast(halt, endSeconds, nowSeconds)) {
      return Optional.of(new Met(halt.reason().get(), plainly(halt.reason().get())));
    }
    if (slack > 0 && endSeconds.isPresent() && endSeconds.getAsLong() - nowSeconds <= slack) {
      return Optional.of(new Met(Reason.TIME_LIMIT, "the allocation has "
          + Math.max(0, endSeconds.getAsLong() - nowSeconds) + " s left, no more than the " + slack
          + " s that are to remain"));
    }
    if (halt.checkpointsLeft().isPresent() && halt.checkpointsLeft().getAsInt() <= 0) {
      return Optional.of(new Met(Reason.NO_CHECKPOINTS_LEFT, "all checkpoints that were asked for are written"));
    }
    if (halt.exitBeforeSeconds().isPresent() && nowSeconds >= halt.exitBeforeSeconds().getAsLong() - slack) {
      return Optional.of(new Met(Reason.EXIT_BEFORE_TIME, "the run must be gone by second "
          + halt.exitBeforeSeconds().getAsLong() + " since 1970" + (slack > 0 ? ", " + slack + " s early" : "")));
    }
    if (halt.exitAfterSeconds().isPresent() && nowSeconds >= halt.exitAfterSeconds().getAsLong()) {
      return Optional.of(new Met(Reason.EXIT_AFTER_TIME,
          "it is later than second " + halt.exitAfterSeconds().getAsLong() + " since 1970"));
    }
    return Optional.empty();
  }

  private static String plainly(String reason) {
    return switch (reason) {
      case "SCR_FINALIZE_CALLED" -> "the program has finished";
      case "JOB_HALTED" -> "somebody has halted the job";
      case "SCR_INIT_FAILED" -> "a run before this one could not begin";
      case "TIME_LIMIT" -> "an earlier run has stopped at the end of its allocation";
      case "NO_CHECKPOINTS_LEFT" -> "an earlier run has written all checkpoints that were asked for";
      default -> "the halt file says so";
    };
  }
}
