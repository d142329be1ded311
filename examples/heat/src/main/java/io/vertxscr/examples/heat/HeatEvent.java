package io.vertxscr.examples.heat;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Progress event of a rank, for a listener in the same process, or as a line of text. */
public sealed interface HeatEvent {
  int rank();

  /**
   * The rank has its field and begins to compute.
   *
   * @param step 0, or the step of the checkpoint from which it restarts
   * @param nanos from the start of the rank until here
   */
  record Started(int rank, int step, long nanos) implements HeatEvent {}

  /**
   * The rank's part of a checkpoint is protected.
   *
   * @param bytes written by this rank
   * @param nanos from the start of the checkpoint until here
   */
  record Checkpointed(int rank, int step, long bytes, long nanos) implements HeatEvent {}

  /**
   * The rank has written its part of the final field.
   *
   * @param step the last one
   * @param nanos spent in computing and in waiting for neighbours
   */
  record Finished(int rank, int step, long bytes, long nanos) implements HeatEvent {}

  /** The event as a line of text, without the line's end. */
  default String line() {
    return switch (this) {
      case Started(int rank, int step, long nanos) -> format("started", rank, step, 0, nanos);
      case Checkpointed(int rank, int step, long bytes, long nanos) -> format("checkpointed", rank, step, bytes, nanos);
      case Finished(int rank, int step, long bytes, long nanos) -> format("finished", rank, step, bytes, nanos);
    };
  }

  /** The event that a line tells; empty for lines of any other kind. */
  static Optional<HeatEvent> parse(String line) {
    Matcher matcher = LineForm.FORM.matcher(line);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int rank = Integer.parseInt(matcher.group(2));
    int step = Integer.parseInt(matcher.group(3));
    long bytes = Long.parseLong(matcher.group(4));
    long nanos = Long.parseLong(matcher.group(5));
    return Optional.of(switch (matcher.group(1)) {
      case "started" -> new Started(rank, step, nanos);
      case "checkpointed" -> new Checkpointed(rank, step, bytes, nanos);
      default -> new Finished(rank, step, bytes, nanos);
    });
  }

  private static String format(String what, int rank, int step, long bytes, long nanos) {
    return "heat " + what + " rank=" + rank + " step=" + step + " bytes=" + bytes + " nanos=" + nanos;
  }

  /** The form of the lines. */
  final class LineForm {
    private static final Pattern FORM = Pattern.compile(
        "heat (started|checkpointed|finished) rank=(\\d{1,9}) step=(\\d{1,9}) bytes=(\\d{1,18}) nanos=(\\d{1,18})");

    private LineForm() {}
  }
}
