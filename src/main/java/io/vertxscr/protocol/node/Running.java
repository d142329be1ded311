package io.vertxscr.protocol.node;

import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.DatasetDescriptor;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Messages of a run's life. */
public final class Running {
  private Running() {}

  /**
   * To the leader: all ranks that have arrived on this node so far.
   *
   * @param leader who was asked first: if that one is gone, it may have acknowledged ranks unknown to others
   * @param settings what rank 0 brings along, from the node where it is
   */
  public record Join(String node, String leader, String prefix, String jobName, int ranks, List<Integer> here,
      Optional<Configured> settings) {}

  /** From the leader: stores that the run will use; their directories are made where they may be. */
  public record Stores(List<Store> stores) {}

  /** One of them. @param mkdir whether its base is made if it is not there */
  public record Store(String base, boolean mkdir) {}

  /** Result of a store check: a sentence that names node and directory; empty if there is no problem. */
  public record StoresChecked(Optional<String> problem) {}

  /** Environment and calls of the rank whose configuration counts. */
  public record Configured(Map<String, String> environment, List<String> calls) {
    /** Of an application that configures nothing. */
    public static final Configured NOTHING = new Configured(Map.of(), List.of());
  }

  /**
   * Ranks that may not join, and why; the others have joined.
   *
   * @param forming number of the run that they have joined while it forms; ascending, unlike any other's
   */
  public record Joined(String leader, long forming, List<Refusal> refusals) {}

  /** Why one rank may not join. */
  public record Refusal(int rank, int fault, String message) {}

  /**
   * Reports a rank that ended without finalize, or may not join, so that no rank waits for it.
   *
   * @param run the run, 0 if it was still forming
   * @param forming the number that it had while it formed, 0 if its node does not know it yet
   * @param fault RANK_LOST, or why it may not join
   * @param message names the rank and its node
   */
  public record Lost(long run, long forming, int fault, String message) {}

  /**
   * To the leader: a node's part. Repeating it is harmless: a gather that is over answers with its result.
   *
   * @param odd how the ranks of this node disagree, where they do
   */
  public record Gather(long run, long number, String node, Step step, Optional<String> odd, Packed part) {}

  /**
   * Result of a gather, the same for every node.
   *
   * @param fault number of a fault, 0 where it succeeded
   * @param remarks for rank 0, in sentences: what was done since the last gather, where the run wants to know
   */
  public record Gathered(int fault, String message, Packed result, List<String> remarks) {
    /** Without remarks. */
    public Gathered(int fault, String message, Packed result) {
      this(fault, message, result, List.of());
    }
  }

  /** From a node that has become the leader. */
  public record Takeover(String leader, long epoch) {}

  /**
   * A node's state of its last run, unless that has failed.
   *
   * @param number the last gather whose result it has, 0 for none
   * @param gathered that result
   * @param ended whether all ranks of this node have finalized
   * @param inVain the lost leader that had acknowledged ranks of this node, which have failed since
   * @param bereft the last run, where that ended because it lost a node
   */
  public record State(long epoch, Optional<RunInfo> run, long number, Optional<Gathered> gathered, boolean ended,
      Optional<String> inVain, Optional<RunInfo> bereft) {
    /** Of a node that has left meanwhile. */
    public static final State GONE = none(0);

    /** Of a node that knows of no run. */
    public static State none(long epoch) {
      return new State(epoch, Optional.empty(), 0, Optional.empty(), false, Optional.empty(), Optional.empty());
    }

    /** Whether this node takes, or took, part in that run. */
    public boolean isIn(long number) {
      return run.isPresent() && run.get().run() == number;
    }
  }

  /**
   * From the leader: the run is over on all nodes.
   *
   * @param run the run, 0 if it was still forming
   * @param forming the number that it had while it formed: ranks that have arrived since are not meant
   */
  public record Over(long run, long forming, int fault, String message) {}

  /**
   * Result of START_OUTPUT.
   *
   * @param evict datasets to evict before a file is written
   * @param bypass whether its files go to the prefix directory although its descriptor says otherwise: there is no room
   */
  public record Started(DatasetDescriptor descriptor, List<Integer> evict, boolean bypass) {}

  /**
   * Result of CURRENT and of the restart calls: what can be read, where there is something.
   *
   * @param remarks what rank 0 is told, in sentences; empty for nothing
   */
  public record Offer(Optional<RunInfo.Restartable> restart, Optional<List<String>> remarks) {
    /** With nothing to tell. */
    public Offer(Optional<RunInfo.Restartable> restart) {
      this(restart, Optional.empty());
    }
  }

  /**
   * Result of the gather PROTECTED: the dataset is complete.
   *
   * @param halt why the run is to stop, where it is
   * @param exit whether its processes are to end themselves then
   */
  public record Protected(Optional<String> halt, boolean exit) {}

  /**
   * The leader's open waits, and the missing parts.
   *
   * @param remarks what else there is to know, in sentences
   * @param flushes datasets on their way to the prefix directory
   */
  public record Waits(String text, List<String> missing, List<String> remarks, List<Flushing.View> flushes) {
    /** Without remarks. */
    public Waits(String text, List<String> missing) {
      this(text, missing, List.of(), List.of());
    }

    /** Returns the waits with these remarks and flushes. */
    public Waits with(List<String> others, List<Flushing.View> under) {
      return new Waits(text, missing, others, under);
    }
  }
}
