package io.vertxscr.flow.gather;

import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Job;
import io.vertxscr.model.Plural;
import io.vertxscr.model.ScrException;
import java.util.List;
import java.util.Optional;

/** Reduces the contributions of all nodes to the one result that every node gets. Pure; the time is given. */
public final class GatherReducers {
  private GatherReducers() {}

  /**
   * A new dataset: its id is one more than any node knows of, and it is created after all of them. Where clocks were
   * set back, its time is not that of the clock, but the next microsecond.
   *
   * @throws ScrException RANKS_DISAGREE, naming two nodes; nothing changes then
   */
  public static DatasetDescriptor start(List<NodeContribution<Part.Start>> parts, long nowUs, Job job) {
    NodeContribution<Part.Start> first = parts.getFirst();
    for (NodeContribution<Part.Start> other : parts) {
      if (!other.part().name().equals(first.part().name()) || other.part().flags() != first.part().flags()) {
        throw new ScrException(Fault.RANKS_DISAGREE, "start-output: ranks on node " + first.node() + " say "
            + opinion(first) + ", ranks on node " + other.node() + " say " + opinion(other));
      }
    }
    DatasetFlags flags = DatasetFlags.ofBits(first.part().flags());
    int id = 1 + parts.stream().mapToInt(p -> p.part().lastDatasetId()).max().orElseThrow();
    int checkpoints = parts.stream().mapToInt(p -> p.part().lastCheckpointId()).max().orElseThrow();
    long lastUs = parts.stream().mapToLong(p -> p.part().lastCreatedUs()).max().orElseThrow();
    String name = first.part().name().isEmpty() ? "scr.dataset." + id : first.part().name();
    return new DatasetDescriptor(
        id, name, flags, flags.checkpoint() ? checkpoints + 1 : 0, Math.max(nowUs, lastUs + 1), job, Totals.NONE);
  }

  /** Returns why a new dataset will not fit after any eviction: the first node with its name. Empty where it will. */
  public static Optional<String> full(List<NodeContribution<Part.Start>> parts) {
    List<NodeContribution<Part.Start>> full =
        parts.stream().filter(from -> !from.part().room().refusal().isEmpty()).toList();
    return full.stream().findFirst().map(first -> "node " + first.node()
        + (full.size() > 1 ? " (and " + (full.size() - 1) + " more)" : "") + ": " + first.part().room().refusal());
  }

  /**
   * Returns the victims for all nodes before a dataset that would not fit on some of them. All nodes evict them,
   * because a dataset without one node's part is not whole any more.
   */
  public static List<Integer> evictions(List<NodeContribution<Part.Start>> parts) {
    return parts.stream().flatMap(from -> from.part().room().evict().stream()).distinct().sorted().toList();
  }

  private static String opinion(NodeContribution<Part.Start> from) {
    return "\"" + from.part().name() + "\" flags " + from.part().flags();
  }

  /**
   * Files and bytes of all nodes.
   *
   * @throws ScrException NOT_VALID, naming rank, node and reason; what a node refuses itself comes first, because it
   *     may be why a rank could not write its files
   */
  public static Totals complete(List<NodeContribution<Part.Complete>> parts) {
    parts.stream().filter(from -> !from.part().refusal().isEmpty()).findFirst().ifPresent(from -> {
      throw new ScrException(
          Fault.NOT_VALID, "dataset " + from.part().datasetId() + " is discarded: " + from.part().refusal());
    });
    for (NodeContribution<Part.Complete> from : parts) {
      if (!from.part().invalidRanks().isEmpty()) {
        throw new ScrException(Fault.NOT_VALID, "dataset " + from.part().datasetId() + " is discarded: "
            + ranks(from.part().invalidRanks()) + " on node " + from.node() + ": " + from.part().why());
      }
    }
    return Totals.sum(parts.stream().map(from -> from.part().totals()).toList());
  }

  /**
   * Files and bytes of a dataset that went past the cache.
   *
   * @throws ScrException the first node's fault
   */
  public static Totals published(List<NodeContribution<Part.Published>> parts) {
    done(parts.stream().map(from -> new NodeContribution<>(from.node(), from.part().done())).toList());
    return Totals.sum(parts.stream().map(from -> from.part().totals()).toList());
  }

  /**
   * All nodes have done their work.
   *
   * @throws ScrException the first node's fault, with the node's name and the number of nodes that failed
   */
  public static void done(List<NodeContribution<Part.Done>> parts) {
    long failed = parts.stream().filter(p -> p.part().fault() != 0).count();
    for (NodeContribution<Part.Done> from : parts) {
      if (from.part().fault() != 0) {
        throw new ScrException(Fault.of(from.part().fault()), "dataset " + from.part().datasetId() + " on node "
            + from.node() + (failed > 1 ? " (and " + (failed - 1) + " more)" : "") + ": " + from.part().message());
      }
    }
  }

  /**
   * The name that all nodes have given.
   *
   * @throws ScrException RANKS_DISAGREE, naming two nodes
   */
  public static String name(List<NodeContribution<Part.Named>> parts) {
    NodeContribution<Part.Named> first = parts.getFirst();
    for (NodeContribution<Part.Named> other : parts) {
      if (!other.part().name().equals(first.part().name())) {
        throw new ScrException(Fault.RANKS_DISAGREE, "ranks on node " + first.node() + " name dataset \""
            + first.part().name() + "\", ranks on node " + other.node() + " \"" + other.part().name() + "\"");
      }
    }
    return first.part().name();
  }

  /** Why a restart was not read by all, where that is so. */
  public static Optional<String> unread(List<NodeContribution<Part.InvalidRanks>> parts) {
    return parts.stream().filter(p -> !p.part().invalidRanks().isEmpty()).findFirst()
        .map(p -> ranks(p.part().invalidRanks()) + " on node " + p.node() + " could not read it");
  }

  private static String ranks(List<Integer> ranks) {
    return (ranks.size() == 1 ? "rank " : "ranks ") + Plural.list(ranks, 8);
  }
}
