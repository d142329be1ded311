package io.vertxscr.protocol.node.flush;

import io.vertxscr.model.Compression;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;
import java.util.Optional;

/**
 * Copy, or publish, these ranks' files. Outcomes carry the attempt they belong to.
 *
 * @param compression of each file; missing: none. All nodes have that of the leader's copy: another one, fetched under
 *     another configuration, say, may differ
 * @param background whether phases of the run go first: nobody waits for it
 * @param token by which names are given; missing in a copy, which writes only drafts
 */
public record FlushWork(int datasetId, int attempt, List<Integer> ranks, Optional<Compression> compression,
    boolean background, Optional<PrefixToken> token) {
  public FlushWork {
    FieldChecks.dataset(datasetId);
    FieldChecks.attempt(attempt);
    FieldChecks.ranks("ranks", ranks);
  }
}
