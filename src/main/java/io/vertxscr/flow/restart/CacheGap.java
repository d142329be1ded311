package io.vertxscr.flow.restart;

import io.vertxscr.flow.restart.RestorePlanner.Prospect;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.RankMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/**
 * Ranks of a dataset whose files are on no node, because nodes are gone.
 *
 * @param missing the ranks, ascending
 * @param lost why the caches cannot give all of it back; empty if a restart will rebuild what is missing
 */
public record CacheGap(DatasetDescriptor dataset, List<Integer> missing, String lost) {
  /** The gaps in what these nodes hold, in the order in which the datasets are met. */
  public static List<CacheGap> in(List<Inventory> inventories) {
    Map<DatasetKey, Inventory.Dataset> datasets = new LinkedHashMap<>();
    Map<DatasetKey, Set<Integer>> held = new LinkedHashMap<>();
    CacheSnapshot.of(inventories).copies().forEach(dataset -> {
      datasets.putIfAbsent(dataset.key(), dataset);
      Set<Integer> ranks = held.computeIfAbsent(dataset.key(), _ -> new HashSet<>());
      dataset.ranks().stream().filter(Inventory.Held::files).forEach(rank -> ranks.add(rank.rank()));
    });
    List<CacheGap> gaps = new ArrayList<>();
    datasets.forEach((key, dataset) -> {
      if (held.get(key).size() < dataset.origin().ranks()) {
        gaps.add(of(dataset, held.get(key), inventories));
      }
    });
    return gaps;
  }

  private static CacheGap of(Inventory.Dataset dataset, Set<Integer> held, List<Inventory> inventories) {
    RankMap anyNode = new RankMap(Collections.nCopies(dataset.origin().ranks(), inventories.getFirst().node()));
    SortedMap<Integer, Prospect> prospects = RestorePlanner.prospects(dataset.descriptor(), inventories, anyNode);
    return new CacheGap(dataset.descriptor(),
        prospects.keySet().stream().filter(rank -> !held.contains(rank)).toList(),
        prospects.values().stream().map(Prospect::why).filter(why -> !why.isEmpty()).findFirst().orElse(""));
  }
}
