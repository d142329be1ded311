package io.vertxscr.flow.gather;

import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.SmallRank;
import java.util.List;

/** Contribution of one node to a gather. */
public final class Part {
  private Part() {}

  /**
   * To START_OUTPUT.
   *
   * @param lastDatasetId highest dataset id that this node knows of
   * @param lastCheckpointId highest checkpoint id that this node knows of
   * @param lastCreatedUs latest creation of a dataset that this node knows of, or the begin of the run
   * @param room whether the dataset will fit here
   */
  public record Start(
      String name, int flags, int lastDatasetId, int lastCheckpointId, long lastCreatedUs, RoomEstimate room) {}

  /**
   * Whether a dataset will fit on a node, estimated by its predecessor.
   *
   * @param evict what must be deleted for it first, in this order
   * @param refusal why it will not fit after any eviction; empty if it will
   */
  public record RoomEstimate(List<Integer> evict, String refusal) {
    public static final RoomEstimate ENOUGH = new RoomEstimate(List.of(), "");
  }

  /**
   * To COMPLETE_OUTPUT.
   *
   * @param invalidRanks ranks whose files are not valid
   * @param why the reason for the first of them
   * @param refusal why the node refuses the dataset, independent of its ranks; empty if it does not
   * @param totals of the node's files; past the cache without their sizes, because they may still grow
   * @param carried files of all ranks of the node, for all nodes, where that is little; none where the node has told
   *     the others itself
   */
  public record Complete(int datasetId, List<Integer> invalidRanks, String why, String refusal, Totals totals,
      List<SmallRank> carried) {
    /** Of a node whose files the others know as far as they need. */
    public Complete(int datasetId, List<Integer> invalidRanks, String why, String refusal, Totals totals) {
      this(datasetId, invalidRanks, why, refusal, totals, List.of());
    }

    /** The same with files for all nodes. */
    public Complete carrying(List<SmallRank> files) {
      return new Complete(datasetId, invalidRanks, why, refusal, totals, files);
    }
  }

  /**
   * To PROTECTED and FLUSHED.
   *
   * @param fault number of the fault, 0 where all went well
   */
  public record Done(int datasetId, int fault, String message, boolean sync) {
    /** Of a node that has nothing to sync. */
    public Done(int datasetId, int fault, String message) {
      this(datasetId, fault, message, false);
    }
  }

  /**
   * To CURRENT, DROP and DELETE.
   *
   * @param name of the dataset
   * @param selects whether the run is to restart from it: CURRENT, before the application has restarted
   * @param existed whether this node knows that there was one of that name: DROP and DELETE
   */
  public record Named(String name, boolean selects, boolean existed) {}

  /** To HAVE_RESTART. @param selected whether CURRENT has selected the checkpoint */
  public record Have(boolean selected) {}

  /**
   * To PUBLISHED.
   *
   * @param totals of the node's files, without those that a rank elsewhere counts
   * @param mapBytes of the entries of this node's ranks in a rank2file map
   * @param taken whether any of their places had a file before
   * @param done how reading back and syncing went here
   */
  public record Published(DatasetDescriptor dataset, Totals totals, long mapBytes, boolean taken, Done done) {}

  /** To START_RESTART, COMPLETE_RESTART and FINALIZE: which ranks could not read their files. */
  public record InvalidRanks(List<Integer> invalidRanks) {}
}
