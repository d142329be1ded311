package io.vertxscr.flow.advice;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Leader half of one {@link Question}. Every rank's k-th call gets the same answer, although most calls are answered by
 * their node alone. Pure; not thread-safe.
 *
 * <p>While the answer is stable, nodes hold a <em>lease</em>: a rule for all calls from here on. When it is
 * to change, the lease is withdrawn from all of them first. Each says up to which call it has answered, and answers no
 * further one without asking; the highest of these numbers is where the old rule ends, for all. So the next call of
 * the foremost rank gets the new answer, and those behind get the old one up to the same number. An answer that is
 * meant once (a checkpoint is due, until it is written) is given call by call, without a lease.
 *
 * <p>Versions tell a grant that was on its way from a later withdrawal. A new leader knows nothing; it withdraws
 * first and hears from the nodes what they have answered: an answer that another node may still need is never dropped.
 *
 * <pre>
 *   settled --withdraw--> withdrawing --all nodes have said so--> settled, no lease --grant--> settled
 * </pre>
 */
public final class LeaderAnswers {
  private final Set<String> nodes;
  private final GivenAnswers given = new GivenAnswers();
  private final Map<String, Long> lowest = new HashMap<>();
  private final Set<String> silent = new HashSet<>();
  private Optional<Rule> lease = Optional.empty();
  private long version;

  /**
   * Starts with nothing decided.
   *
   * @param version later than that of any earlier leader
   * @param begins whether the run begins now; otherwise {@link #withdraw} must come first
   */
  public LeaderAnswers(Collection<String> nodes, long version, boolean begins) {
    this.nodes = Set.copyOf(nodes);
    this.version = version;
    if (!begins) {
      silent.addAll(nodes);
    }
  }

  /** Whether grants are blocked now. */
  public boolean isWithdrawing() {
    return !silent.isEmpty();
  }

  /** Whether the lease must be revoked before this answer is given. */
  public boolean mustWithdraw(Advice wanted) {
    return !isWithdrawing() && lease.isPresent() && (wanted.once() || !lease.get().equals(wanted.rule()));
  }

  /**
   * Starts to revoke the lease.
   *
   * @return the version with which all nodes are to be told
   */
  public long withdraw() {
    version++;
    lease = Optional.empty();
    silent.addAll(nodes);
    return version;
  }

  /** Number of the last call that is decided, as far as it is known here. */
  public long known() {
    return given.end();
  }

  /** A node has no lease any more. Those of an earlier withdrawal change nothing. */
  public void withdrawn(String node, Withdrawn said) {
    if (said.version() != version || !silent.remove(node)) {
      return;
    }
    if (said.end() > given.end()) {
      given.learn(said.from(), said.spans());
    }
    lowest.put(node, said.lowest());
  }

  /**
   * Grants a node answers beyond those that it knows. Not while {@link #isWithdrawing}, nor if {@link #mustWithdraw}.
   *
   * @param known the last call whose answer the node knows
   * @param slowest the call that the slowest rank of the node made last
   */
  public Grant grant(String node, long known, long slowest, Advice wanted) {
    lowest.put(node, slowest);
    if (!wanted.once()) {
      lease = Optional.of(wanted.rule());
    } else if (known >= given.end()) {
      given.decide(known + 1, wanted.rule());
    }
    long from = Math.max(known, given.start());
    List<Span> spans = given.after(from);
    boolean heardOfAll = lowest.size() == nodes.size();
    long forget = heardOfAll ? Collections.min(lowest.values()) - 1 : 0;
    given.forget(forget);
    return new Grant(version, from, spans, lease, forget);
  }
}
