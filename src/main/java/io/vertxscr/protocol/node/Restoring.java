package io.vertxscr.protocol.node;

import io.vertxscr.flow.RestorePlan.RankPlan;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.Scheme;
import java.util.List;

/** Messages that bring a dataset's files to the nodes of its ranks and protect them there. */
public final class Restoring {
  private Restoring() {}

  /** Names one dataset; created tells histories apart. */
  public record Which(int datasetId, long createdUs) {}

  /** Datasets to delete. */
  public record Drop(List<Which> datasets) {}

  /** Bring these ranks' files here. */
  public record Restore(DatasetDescriptor descriptor, Origin origin, Scheme scheme, List<RankPlan> ranks) {}

  /** Ranks that could not be brought; empty when all are here, durably. */
  public record Restored(List<Failed> failed) {}

  /** One rank that could not be brought. */
  public record Failed(int rank, int fault, String message) {}

  /** Bring these ranks' files here from the prefix directory. */
  public record Fetch(DatasetDescriptor descriptor, String prefix, List<Integer> ranks, int worldRanks, Scheme scheme) {}

  /** Compute redundancy under this rank map, into files of this generation. */
  public record Protect(int datasetId, int generation, RankMap map) {}

  /** The files of these ranks. */
  public record LayoutOf(int datasetId, List<Integer> ranks) {}

  /** Files by rank, in the order asked for. */
  public record Layout(List<RankFiles> ranks) {}

  /** The files that this member's redundancy file describes for its left neighbours. */
  public record PartnerFilesOf(int datasetId, int member) {}
}
