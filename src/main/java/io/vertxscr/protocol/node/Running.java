package io.vertxscr.protocol.node;

import io.vertx.core.json.JsonObject;
import io.vertxscr.flow.Step;
import java.util.List;
import java.util.Optional;

/** Messages of a run's life. */
public final class Running {
  private Running() {}

  /** To the leader: all ranks that have arrived on this node so far. */
  public record Join(String node, String prefix, String jobName, int ranks, List<Integer> here) {}

  /** Ranks that may not join, and why; the others have joined. */
  public record Joined(List<Refusal> refusals) {}

  /** Why one rank may not join. */
  public record Refusal(int rank, int fault, String message) {}

  /**
   * To the leader: a rank's process ended without finalize.
   *
   * @param run the run, 0 if it was still forming
   */
  public record Lost(long run, String node, int rank, String cause) {}

  /**
   * To the leader: a node's part. Repeating it is harmless: a gather that is over answers with its result.
   *
   * @param odd how the ranks of this node disagree, where they do
   */
  public record Gather(long run, long number, String node, Step step, Optional<String> odd, JsonObject part) {}

  /**
   * What came out of a gather, for every node the same.
   *
   * @param fault number of a fault, 0 where it succeeded
   */
  public record Gathered(int fault, String message, JsonObject result) {}

  /** From a node that has become the leader. */
  public record Takeover(String leader, long epoch) {}

  /**
   * What a node knows of the newest run, where there was one.
   *
   * @param number the last gather whose result it has, 0 for none
   * @param gathered that result
   * @param finalized whether that was the last gather of the run
   * @param over why the run ended before its time, where the node has heard so
   */
  public record State(long epoch, Optional<RunInfo> run, long number, Optional<Gathered> gathered, boolean finalized,
      Optional<Over> over) {
    /** Of a node that was in no run. */
    public static State none(long epoch) {
      return new State(epoch, Optional.empty(), 0, Optional.empty(), false, Optional.empty());
    }
  }

  /** From the leader: the run is over for everybody. The number is 0 if it was still forming. */
  public record Over(long run, int fault, String message) {}

  /** Result of the restart calls: what can be read, where there is something. */
  public record Offer(Optional<RunInfo.Restartable> restart) {}

  /** What the leader can say of those who wait: what is open, and who is missing. */
  public record Waits(String text, List<String> missing) {}
}
