package io.vertxscr.protocol.node;

import io.vertx.core.json.JsonObject;
import io.vertxscr.flow.Step;
import java.util.List;

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
   * @param run the run, empty if it was still forming
   */
  public record Lost(String run, String node, int rank, String cause) {}

  /** To the leader: a node's part. Repeating it is harmless: a gather that is over answers with its result. */
  public record Gather(String run, long number, String node, Step step, JsonObject part) {}

  /**
   * What came out of a gather, for every node the same.
   *
   * @param fault number of a fault, 0 where it succeeded
   */
  public record Gathered(int fault, String message, JsonObject result) {}

  /** From a node that has become the leader. */
  public record Takeover(String leader, long epoch) {}

  /**
   * What a node knows of the run that is not over; {@code run} is null where there is none.
   *
   * @param number the last gather whose result it has
   * @param gathered that result
   */
  public record State(long epoch, RunInfo run, long number, Gathered gathered) {}

  /** From the leader: the run is over for everybody. The name is empty if it was still forming. */
  public record Over(String run, int fault, String message) {}

  /** What the leader can say of those who wait: what is open, and who is missing. */
  public record Waits(String text, List<String> missing) {}
}
