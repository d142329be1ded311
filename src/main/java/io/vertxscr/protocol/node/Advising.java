package io.vertxscr.protocol.node;

import io.vertxscr.flow.advice.Question;

/** Messages of leases for answers that nodes give by themselves; see {@code flow.advice.LeaderAnswers}. */
public final class Advising {
  private Advising() {}

  /**
   * To the leader: what may this node answer from here on? The answer is a {@code flow.advice.Grant}.
   *
   * @param known the last call whose answer the node knows
   * @param slowest the call that its slowest rank made last
   */
  public record Ask(long run, Question question, String node, long known, long slowest) {}

  /**
   * From the leader: answer nothing further without asking. The answer is a {@code flow.advice.Withdrawn}.
   *
   * @param version later than that of every grant so far
   * @param known the leader knows what was answered up to this call
   */
  public record Withdraw(long run, Question question, long version, long known) {}
}
