package io.vertxscr.protocol.node.run;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.app.DrainReply;
import io.vertxscr.protocol.node.flush.FlushView;
import io.vertxscr.protocol.node.restart.HealView;
import java.util.List;
import java.util.Optional;

/**
 * The leader's open waits, and the missing parts.
 *
 * @param remarks what else there is to know, in sentences
 * @param flushes datasets on their way to the prefix directory
 * @param healings datasets that are being made whole again, or cannot be
 * @param drains nodes that are to be drained
 * @param run the run that is on, once it has begun
 * @param forming the run that forms, until it has begun
 */
public record OpenWaits(String text, List<String> missing, List<String> remarks, List<FlushView> flushes,
    List<HealView> healings, List<DrainReply> drains, Optional<RunView> run, Optional<FormingView> forming) {
  public OpenWaits {
    FieldChecks.sentence("text", text);
    FieldChecks.sentences("missing", missing);
    FieldChecks.sentences("remarks", remarks);
    FieldChecks.size("flushes", flushes, Limits.MAX_DATASETS);
    FieldChecks.size("healings", healings, Limits.MAX_DATASETS);
    FieldChecks.size("drains", drains, Limits.MAX_RANKS);
  }

  /** Without remarks. */
  public OpenWaits(String text, List<String> missing) {
    this(text, missing, List.of(), List.of(), List.of(), List.of(), Optional.empty(), Optional.empty());
  }

  /** Of this run. */
  public OpenWaits of(RunView on) {
    return new OpenWaits(text, missing, remarks, flushes, healings, drains, Optional.of(on), forming);
  }

  /** Of ranks that wait for their run to begin. */
  public OpenWaits of(FormingView view) {
    return new OpenWaits(text, missing, remarks, flushes, healings, drains, run, Optional.of(view));
  }

  /** Returns the waits with these remarks and background work. */
  public OpenWaits with(
      List<String> others, List<FlushView> under, List<HealView> healed, List<DrainReply> drained) {
    return new OpenWaits(text, missing, others, under, healed, drained, run, forming);
  }
}
