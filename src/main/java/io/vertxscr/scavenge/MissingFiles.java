package io.vertxscr.scavenge;

import io.vertxscr.flow.restart.RestorePlan.Action;
import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.flow.restart.RestorePlanner;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Options for the files that a scan did not find. Pure.
 *
 * @param rebuilds how each rank that lacks files gets them from its redundancy set
 * @param unrecoverable ranks whose files cannot be made again, with the reason
 */
public record MissingFiles(List<RankPlan> rebuilds, SortedMap<Integer, String> unrecoverable) {
  /** Asks the planner that plans restarts, about the one place where all of it is. */
  public static MissingFiles of(DatasetScan scan) {
    List<RankPlan> rebuilds = new ArrayList<>();
    SortedMap<Integer, String> unrecoverable = new TreeMap<>();
    RestorePlanner.prospects(scan.descriptor(), List.of(scan.inventory()), scan.rankMap()).forEach((rank, prospect) -> {
      if (prospect.plan().isEmpty()) {
        unrecoverable.put(rank, prospect.why());
      } else if (prospect.plan().get().action() == Action.REBUILD) {
        rebuilds.add(prospect.plan().get());
      }
    });
    return new MissingFiles(List.copyOf(rebuilds), unrecoverable);
  }
}
