package io.vertxscr.flow.paths;

import io.vertxscr.flow.gather.NodeContribution;
import io.vertxscr.flow.paths.NodePaths.Second;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.SmallRank;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Path conflicts between files that a gather carries, so that no node has to be asked about them. Pure. */
public final class CarriedPaths {
  private CarriedPaths() {}

  /** Paths that ranks of several nodes have, in the order of the contributions. */
  public static List<Second> seconds(List<NodeContribution<List<SmallRank>>> parts) {
    Map<String, NodeContribution<Integer>> first = new HashMap<>();
    List<Second> seconds = new ArrayList<>();
    for (NodeContribution<List<SmallRank>> from : parts) {
      for (SmallRank rank : from.part()) {
        NodeContribution<Integer> claimant = new NodeContribution<>(from.node(), rank.rank());
        for (FileMeta file : rank.files()) {
          NodeContribution<Integer> before = first.putIfAbsent(file.path(), claimant);
          if (before != null && !before.node().equals(from.node())) {
            seconds.add(new Second(file.path(), claimant, before));
          }
        }
      }
    }
    return seconds;
  }
}
