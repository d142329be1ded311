package io.vertxscr.flow;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Job;
import io.vertxscr.model.ScrException;
import java.util.List;
import java.util.Optional;

/** How the parts of all nodes become the one result that every node gets. Pure; the time is given. */
public final class Combining {
  private Combining() {}

  /**
   * A new dataset: its id is one more than any node knows of.
   *
   * @throws ScrException RANKS_DISAGREE, naming two nodes; nothing changes then
   */
  public static DatasetDescriptor start(List<From<Part.Start>> parts, long nowUs, Job job) {
    From<Part.Start> first = parts.getFirst();
    for (From<Part.Start> other : parts) {
      if (!other.part().name().equals(first.part().name()) || other.part().flags() != first.part().flags()) {
        throw new ScrException(Fault.RANKS_DISAGREE, "start-output: ranks on node " + first.node() + " say "
            + opinion(first) + ", ranks on node " + other.node() + " say " + opinion(other));
      }
    }
    DatasetFlags flags = DatasetFlags.ofBits(first.part().flags());
    int id = 1 + parts.stream().mapToInt(p -> p.part().lastDatasetId()).max().orElseThrow();
    int checkpoints = parts.stream().mapToInt(p -> p.part().lastCheckpointId()).max().orElseThrow();
    String name = first.part().name().isEmpty() ? "scr.dataset." + id : first.part().name();
    return new DatasetDescriptor(
        id, name, flags, flags.checkpoint() ? checkpoints + 1 : 0, nowUs, job, Totals.NONE);
  }

  /** Why a new dataset will not fit, whatever is deleted: the first node that says so, by name. Empty where it will. */
  public static Optional<String> full(List<From<Part.Start>> parts) {
    List<From<Part.Start>> full = parts.stream().filter(from -> !from.part().room().refusal().isEmpty()).toList();
    return full.stream().findFirst().map(first -> "node " + first.node()
        + (full.size() > 1 ? " (and " + (full.size() - 1) + " more)" : "") + ": " + first.part().room().refusal());
  }

  /**
   * What all nodes delete before a dataset is written that would not fit otherwise on some of them: on all, since a
   * dataset that one node has given up is not whole any more.
   */
  public static List<Integer> evictions(List<From<Part.Start>> parts) {
    return parts.stream().flatMap(from -> from.part().room().evict().stream()).distinct().sorted().toList();
  }

  private static String opinion(From<Part.Start> from) {
    return "\"" + from.part().name() + "\" flags " + from.part().flags();
  }

  /**
   * Files and bytes of all nodes.
   *
   * @throws ScrException NOT_VALID, naming rank, node and reason; what a node refuses itself comes first, because it
   *     may be why a rank could not write its files
   */
  public static Totals complete(List<From<Part.Complete>> parts) {
    parts.stream().filter(from -> !from.part().refusal().isEmpty()).findFirst().ifPresent(from -> {
      throw new ScrException(
          Fault.NOT_VALID, "dataset " + from.part().datasetId() + " is discarded: " + from.part().refusal());
    });
    for (From<Part.Complete> from : parts) {
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
  public static Totals published(List<From<Part.Published>> parts) {
    done(parts.stream().map(from -> new From<>(from.node(), from.part().done())).toList());
    return Totals.sum(parts.stream().map(from -> from.part().totals()).toList());
  }

  /**
   * All nodes have done their work.
   *
   * @throws ScrException the first node's fault, with the node's name and the number of nodes that failed
   */
  public static void done(List<From<Part.Done>> parts) {
    long failed = parts.stream().filter(p -> p.part().fault() != 0).count();
    for (From<Part.Done> from : parts) {
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
  public static String name(List<From<Part.Named>> parts) {
    From<Part.Named> first = parts.getFirst();
    for (From<Part.Named> other : parts) {
      if (!other.part().name().equals(first.part().name())) {
        throw new ScrException(Fault.RANKS_DISAGREE, "ranks on node " + first.node() + " name dataset \""
            + first.part().name() + "\", ranks on node " + other.node() + " \"" + other.part().name() + "\"");
      }
    }
    return first.part().name();
  }

  /** Why a restart was not read by all, where that is so. */
  public static Optional<String> unread(List<From<Part.Restart>> parts) {
    return parts.stream().filter(p -> !p.part().invalidRanks().isEmpty()).findFirst()
        .map(p -> ranks(p.part().invalidRanks()) + " on node " + p.node() + " could not read it");
  }

  private static String ranks(List<Integer> ranks) {
    return (ranks.size() == 1 ? "rank " : "ranks ")
        + String.join(", ", ranks.stream().limit(8).map(String::valueOf).toList())
        + (ranks.size() > 8 ? ", ..." : "");
  }
}
