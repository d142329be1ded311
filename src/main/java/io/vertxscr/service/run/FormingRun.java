package io.vertxscr.service.run;

import io.vertxscr.flow.run.RankMapBuilder;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Plural;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.run.FormingView;
import io.vertxscr.protocol.node.run.JoinRefusal;
import io.vertxscr.protocol.node.run.JoinRun;
import io.vertxscr.protocol.node.run.LostRank;
import io.vertxscr.protocol.node.run.OpenWaits;
import io.vertxscr.protocol.node.run.RankConfiguration;
import io.vertxscr.service.Loop;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The run whose ranks are arriving at the leader, and how long they wait for those that do not come. On the node's
 * loop.
 *
 * <p>A rank that has not been started yet is not distinguishable from one that was lost before it joined. So the ranks
 * wait for as long as they live, and the log says for whom; but once a node has left, which may have had ranks, the
 * wait has an end.
 */
final class FormingRun {
  private static final Logger LOG = LoggerFactory.getLogger(FormingRun.class);
  private static final int MISSING_SHOWN = 8;
  private static final long TELL_OF_MISSING_MS = 30_000;

  private final Loop loop;
  private final long number;
  private final RankMapBuilder ranks;
  private final Consumer<ScrException> giveUp;
  private RankConfiguration configured = RankConfiguration.NOTHING;
  private boolean limited;
  private boolean ended;

  /**
   * Starts a run with the first node's ranks.
   *
   * @param number names it; ascending
   * @param giveUp called with the reason when the wait ends
   */
  FormingRun(Loop loop, long number, JoinRun first, Consumer<ScrException> giveUp) {
    this.loop = loop;
    this.number = number;
    this.ranks = new RankMapBuilder(first.node(), first.prefix(), first.jobName(), first.ranks());
    this.giveUp = giveUp;
    tellOfMissing();
  }

  /** Ranks that wait for others that never come cannot know it. */
  private void tellOfMissing() {
    loop.after(TELL_OF_MISSING_MS, () -> {
      if (waits()) {
        LOG.warn("{} of {} ranks have called init and wait for the others, such as {}",
            ranks.joined(), ranks.ranks(), ranks.missing(MISSING_SHOWN));
        tellOfMissing();
      }
    });
  }

  private boolean waits() {
    return !ended && !isComplete();
  }

  /** Notes the ranks of a node; those that may not join are returned, and no other one is noted then. */
  List<JoinRefusal> join(JoinRun join) {
    List<JoinRefusal> refusals = new ArrayList<>();
    List<Integer> noted = new ArrayList<>();
    for (int rank : join.here()) {
      try {
        if (ranks.join(join.node(), rank, join.ranks(), join.prefix(), join.jobName())) {
          noted.add(rank);
        }
      } catch (ScrException e) {
        refusals.add(new JoinRefusal(rank, e.fault().number(), e.getMessage()));
      }
    }
    if (!refusals.isEmpty()) {
      ranks.leave(join.node(), noted);
    } else if (join.settings().isPresent() && join.here().contains(0)) {
      configured = join.settings().get();
    }
    return refusals;
  }

  /** The ranks that a node has said are there. */
  List<Integer> on(String node) {
    return ranks.on(node);
  }

  /** Forgets ranks that do not wait on the node that they were noted for. Returns them, in words. */
  String leave(String node, List<Integer> gone) {
    String which = "ranks " + gone.stream().limit(MISSING_SHOWN).toList() + " on node " + node;
    LOG.warn("{} were said to have called init, but do not wait there", which);
    if (gone.contains(0)) {
      configured = RankConfiguration.NOTHING;
    }
    ranks.leave(node, gone);
    return which;
  }

  /** Whether no rank is here any more. */
  boolean isEmpty() {
    return ranks.joined() == 0;
  }

  /**
   * Limits the wait for missing ranks, after the loss of a node that may have had some.
   *
   * @param loss what has become of that node, in a sentence
   */
  void limit(String loss, long graceMs) {
    if (limited || !waits()) {
      return;
    }
    limited = true;
    loop.after(graceMs, () -> {
      if (waits()) {
        giveUp.accept(new ScrException(Fault.NODE_LOST, loss + " while ranks called init: ranks "
            + ranks.missing(MISSING_SHOWN) + " of "
            + ranks.ranks() + " have not called it within " + graceMs / 1000
            + " s after that, and are taken for lost with the node"));
      }
    });
  }

  /** Whether a lost or refused rank leaves the joined ones waiting forever. */
  boolean concerns(LostRank lost) {
    boolean itsRanks = lost.run() == 0 && (lost.forming() == 0 || lost.forming() == number);
    return itsRanks && (lost.fault() == Fault.RANK_LOST.number() || !isComplete());
  }

  /** Nobody waits for it any more: it has begun, or it never will. */
  void end() {
    ended = true;
  }

  /** Whether all ranks are here. */
  boolean isComplete() {
    return ranks.joined() == ranks.ranks();
  }

  /** The rank map, once all ranks are here. */
  Optional<RankMap> complete() {
    return ranks.complete();
  }

  /**
   * Returns what the run waits for; the list names ranks.
   *
   * @param members the nodes of the cluster, by name
   * @param drained those of them that take no run, as they are to be shut down
   */
  OpenWaits view(Collection<String> members, Collection<String> drained) {
    List<String> missing = ranks.missing(MISSING_SHOWN).stream().map(rank -> "rank " + rank).toList();
    OpenWaits waits = new OpenWaits(isComplete() ? "restoring a checkpoint for " + ranks.ranks() + " ranks"
        : "init: " + ranks.joined() + " of " + ranks.ranks() + " ranks", missing);
    return ranks.first().isEmpty() ? waits
        : waits.of(new FormingView(ranks.first().getAsInt(),
            isComplete() ? forRestart() : forMissing(members, drained)));
  }

  private String forRestart() {
    return "for the daemons to prepare the restart: none of " + Plural.of(ranks.ranks(), "rank") + " is missing";
  }

  private String forMissing(Collection<String> members, Collection<String> drained) {
    int missing = ranks.ranks() - ranks.joined();
    Collection<String> with = nodes();
    List<String> without = members.stream().filter(node -> !with.contains(node)).sorted()
        .map(node -> drained.contains(node) ? node + " (drained, takes none)" : node).toList();
    return "for " + missing + " of " + Plural.of(ranks.ranks(), "rank") + ": "
        + (missing == 1 ? "rank " : "ranks ") + Plural.list(ranks.missing(MISSING_SHOWN), MISSING_SHOWN, missing)
        + (without.isEmpty() ? "" : without.size() == 1 ? "; node without ranks: " : "; nodes without ranks: ")
        + Plural.list(without, MISSING_SHOWN);
  }

  long number() {
    return number;
  }

  /** Returns the configuration given by rank 0. */
  RankConfiguration configured() {
    return configured;
  }

  /** Nodes that have a rank here. */
  Collection<String> nodes() {
    return ranks.nodes();
  }

  String prefix() {
    return ranks.prefix();
  }

  String jobName() {
    return ranks.jobName();
  }
}
