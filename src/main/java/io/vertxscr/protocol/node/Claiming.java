package io.vertxscr.protocol.node;

import io.vertxscr.flow.paths.PathClaims;
import io.vertxscr.flow.paths.PathHash;
import java.util.List;

/** Messages between nodes by which they find paths that several ranks of a run have; see {@link PathClaims}. */
public final class Claiming {
  private Claiming() {}

  /**
   * To the node that watches over these paths: ranks of the sender have them. Repeating it is harmless.
   *
   * @param gather number of the gather in which the sender will tell of it, which names the call
   * @param ranks claimant of each path
   * @param paths as many, {@link PathHash#pack packed}
   */
  public record Claim(long run, long gather, String node, List<Integer> ranks, String paths) {}

  /** The answer: what ranks of other nodes have claimed before. */
  public record Claimed(List<PathClaims.Taken> taken) {}
}
