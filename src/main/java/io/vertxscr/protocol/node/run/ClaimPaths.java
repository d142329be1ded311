package io.vertxscr.protocol.node.run;

import io.vertxscr.flow.paths.PathHash;
import io.vertxscr.model.Limits;
import io.vertxscr.model.SmallRank;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.node.OfNode;
import java.util.List;

/**
 * To the node that watches over these paths: ranks of the sender have them. Small files go with it to the nodes of
 * their redundancy sets, which protect them without a further question. Repeating it is harmless.
 *
 * @param gather number of the gather in which the sender will tell of it, which names the call
 * @param ranks claimant of each path
 * @param paths as many, {@link PathHash#pack packed}
 * @param small files of ranks of the sender that share a set with a rank of the receiver
 */
public record ClaimPaths(
    long run, long gather, String node, List<Integer> ranks, String paths, List<SmallRank> small) implements OfNode {
  public ClaimPaths {
    FieldChecks.run(run);
    FieldChecks.count("gather", gather);
    FieldChecks.node("node", node);
    FieldChecks.size("ranks", ranks, Limits.MAX_CLAIMED_PATHS);
    ranks.forEach(FieldChecks::rank);
    long chars = PathHash.packedChars(ranks.size());
    FieldChecks.range("paths (characters)", paths.length(), chars, chars);
    FieldChecks.size("small", small, Limits.MAX_SMALL_FILES);
  }
}
