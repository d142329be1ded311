package io.vertxscr.protocol.node.restart;

import io.vertxscr.model.Limits;
import io.vertxscr.model.RankFiles;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/**
 * One entry a rank, in the order asked for.
 *
 * @param store base of the store that has the dataset on the node that answers, for those who can read there by path
 */
public record LayoutReply(List<RankLayout> ranks, String store) {
  public LayoutReply {
    FieldChecks.size("ranks", ranks, Limits.MAX_RANKS);
    FieldChecks.place("store", store);
  }

  /** The files alone, in the same order. */
  public List<RankFiles> files() {
    return ranks.stream().map(RankLayout::files).toList();
  }
}
