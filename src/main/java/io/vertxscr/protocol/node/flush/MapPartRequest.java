package io.vertxscr.protocol.node.flush;

import io.vertxscr.model.Limits;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/**
 * Write one part of the map.
 *
 * @param prefix directory that the dataset is in
 * @param ranks of the run that wrote it
 * @param ranksPerPart the same for all parts; the last one may have fewer
 * @param holders for each rank of the part, ascending, the node that has its files
 * @param form of these in the prefix directory
 * @param token in the name of the part, until the leader gives it its own
 */
public record MapPartRequest(int datasetId, String prefix, int ranks, int firstRank, int ranksPerPart,
    List<String> holders, PublishedForm form, PrefixToken token) {
  public MapPartRequest {
    FieldChecks.dataset(datasetId);
    FieldChecks.place("prefix", prefix);
    FieldChecks.range("ranks", ranks, 1, Limits.MAX_RANKS);
    FieldChecks.range("firstRank", firstRank, 0, ranks - 1);
    FieldChecks.range("ranksPerPart", ranksPerPart, 1, Limits.MAX_RANKS);
    FieldChecks.size("holders", holders, Math.min(ranksPerPart, ranks - firstRank));
    holders.forEach(holder -> FieldChecks.node("holders", holder));
  }
}
