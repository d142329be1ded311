package io.vertxscr.protocol.node;

import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RedundancyDescriptor;
import java.util.List;
import java.util.Optional;

/** Messages that bring a dataset's files to the nodes of its ranks and protect them there. */
public final class Restoring {
  private Restoring() {}

  /** Datasets to delete. */
  public record Drop(List<DatasetKey> datasets) {}

  /**
   * Bring these ranks' files here.
   *
   * @param base the store for those who have nothing of the dataset yet
   */
  public record Restore(DatasetDescriptor descriptor, Origin origin, String base, RedundancyDescriptor redundancy,
      FlushState flush, List<RankPlan> ranks) {}

  /** Ranks that could not be brought; empty when all are here, durably. */
  public record Restored(List<Failed> failed) {}

  /** One rank that could not be brought. */
  public record Failed(int rank, int fault, String message) {}

  /**
   * Bring these ranks' files here from the prefix directory.
   *
   * @param base the store that takes them
   */
  public record Fetch(DatasetDescriptor descriptor, Origin origin, String base, RedundancyDescriptor redundancy,
      List<Integer> ranks, How how) {
    /**
     * In which way.
     *
     * @param inPlace whether they are checked where they are instead, to be read there; not if they are in containers
     * @param byPath whether every file is wanted at its path in the prefix directory too
     * @param readers files that this node may read there at once, from 1
     */
    public record How(boolean inPlace, boolean byPath, int readers) {}
  }

  /**
   * Compute redundancy under this rank map, as the dataset's own descriptor says.
   *
   * @param round tells attempts apart; 0 is the phase that wrote the dataset
   * @param groups those of the nodes in the rank map
   */
  public record Protect(int datasetId, long round, RankMap map, GroupDescriptors groups) {}

  /** Asks for the layouts of these ranks on a node. */
  public record LayoutOf(int datasetId, List<Integer> ranks) {}

  /**
   * One entry a rank, in the order asked for.
   *
   * @param directory the dataset's on the node that answers, for those who can read there by path
   */
  public record Layout(List<RankLayout> ranks, String directory) {
    /** The files alone, in the same order. */
    public List<RankFiles> files() {
      return ranks.stream().map(RankLayout::files).toList();
    }
  }

  /**
   * A rank's part on a node.
   *
   * @param redundancy the redundancy file that the rank wrote there, relative to the dataset's directory
   */
  public record RankLayout(RankFiles files, Optional<String> redundancy) {}

  /** The header of the redundancy file that this rank wrote. */
  public record HeaderOf(int datasetId, int rank) {}
}
