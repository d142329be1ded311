package io.vertxscr.service.run;

import io.vertxscr.storage.RankInMemory;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Small files of other nodes' ranks, which came with the claims of their paths. Kept for one gather, which names the
 * call, until it is over. On the node's loop.
 */
public final class ReceivedFiles {
  private Map<Integer, RankInMemory> ofRank = new HashMap<>();
  private long gather;

  /** Keeps files; the same once more change nothing. */
  public void put(long number, Collection<RankInMemory> files) {
    if (number > gather) {
      gather = number;
      ofRank = new HashMap<>();
    }
    if (number == gather) {
      files.forEach(rank -> ofRank.put(rank.files().rank(), rank));
    }
  }

  /** Takes those of a gather, by rank. All nodes that have sent any have done so before its result is known. */
  public Map<Integer, RankInMemory> take(long number) {
    Map<Integer, RankInMemory> taken = number == gather ? ofRank : Map.of();
    ofRank = new HashMap<>();
    return taken;
  }
}
