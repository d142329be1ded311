package io.vertxscr.protocol.app;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;
import java.util.OptionalInt;

/**
 * A question that no rank waits for ({@link Verb#SHOULD_EXIT}, {@link Verb#NEED_CHECKPOINT}). Repeating it with the
 * same number gives the same answer.
 *
 * @param call counts up with every question of this kind that the rank has, from 1
 * @param ahead so many more calls of the rank may be answered with this one; missing for none
 */
public record QuestionRequest(long run, int rank, long call, OptionalInt ahead) {
  public QuestionRequest {
    FieldChecks.run(run);
    FieldChecks.rank(rank);
    FieldChecks.call(call);
    FieldChecks.range("ahead", ahead.orElse(0), 0, Limits.MAX_ANSWERS_AHEAD);
  }
}
