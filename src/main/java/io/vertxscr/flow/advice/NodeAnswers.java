package io.vertxscr.flow.advice;

import java.util.Optional;

/**
 * A node's side of one {@link Question}: answers from memory for as long as its lease lasts ({@link LeaderAnswers}).
 * Pure; not thread-safe.
 */
public final class NodeAnswers {
  private final GivenAnswers given = new GivenAnswers();
  private Optional<Rule> lease = Optional.empty();
  private long version;

  /** Returns the answer to the call of this number; empty: the leader must be asked first. */
  public Optional<Rule> answer(long call) {
    if (call > given.end()) {
      lease.ifPresent(rule -> given.decide(call, rule));
    }
    return given.find(call);
  }

  /** Returns the last call after this one, up to a limit, known to have the same answer. Decides no others. */
  public long sameUntil(long call, boolean yes, long most) {
    long until = call;
    while (until < most && answersLike(until + 1, yes)) {
      until++;
    }
    return until;
  }

  private boolean answersLike(long call, boolean yes) {
    Optional<Rule> known = call > given.end() ? lease : given.find(call);
    return known.filter(rule -> rule.yesTo(call) == yes).isPresent() && answer(call).isPresent();
  }

  /** Number of the last call whose answer is known, for requests to the leader. */
  public long known() {
    return given.end();
  }

  /** The leader's answer; one that was overtaken by a withdrawal changes nothing. */
  public void learn(Grant grant) {
    if (grant.version() < version || grant.from() > given.end()) {
      return;
    }
    version = grant.version();
    given.learn(grant.from(), grant.spans());
    lease = grant.lease();
    given.forget(grant.forget());
  }

  /**
   * Answers nothing that is not known until the leader is asked again.
   *
   * @param knownByLeader it knows what was answered up to this call
   * @param lowest the call that the slowest rank of this node made last
   */
  public Withdrawn withdraw(long newVersion, long knownByLeader, long lowest) {
    if (newVersion > version) {
      version = newVersion;
      lease = Optional.empty();
    }
    long from = Math.max(knownByLeader, given.start());
    return new Withdrawn(newVersion, from, given.after(from), lowest);
  }
}
