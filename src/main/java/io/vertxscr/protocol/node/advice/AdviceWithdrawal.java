package io.vertxscr.protocol.node.advice;

import io.vertxscr.flow.advice.Question;
import io.vertxscr.protocol.FieldChecks;

/**
 * From the leader: answer nothing further without asking. The answer is a {@code flow.advice.Withdrawn}.
 *
 * @param version later than that of every grant so far
 * @param known the leader knows what was answered up to this call
 */
public record AdviceWithdrawal(long run, Question question, long version, long known) {
  public AdviceWithdrawal {
    FieldChecks.run(run);
    FieldChecks.version("version", version);
    FieldChecks.count("known", known);
  }
}
