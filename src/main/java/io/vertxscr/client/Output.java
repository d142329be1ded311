package io.vertxscr.client;

import io.vertxscr.model.Fault;

/**
 * A dataset that this rank is writing.
 *
 * <pre>
 *   try (Output checkpoint = scr.startCheckpoint("step-100")) {
 *     write(checkpoint.route("ckpt/rank-7.dat"));
 *     checkpoint.complete(true);                 // not reached: closed as not valid, for all ranks
 *   }
 * </pre>
 *
 * <p>{@code complete} fails with {@link Fault#NOT_VALID} on all ranks if one of them called it not valid; the run then goes
 * on with the previous checkpoint.
 */
public final class Output extends BlockingPhase {
  Output(Phase phase) {
    super(phase);
  }
}
