package io.vertxscr.cluster.peer;

import io.vertxscr.redundancy.range.RangeRequest;

/** Ranges of this node for the peer server. Called by many serving threads at once; may block. */
public interface RangeCatalog {
  /**
   * Finds the files behind a rank's data.
   *
   * @throws io.vertxscr.model.ScrException NO_SUCH_DATASET, UNKNOWN_RANK, IO: goes to the peer as it is
   */
  OpenRange open(int datasetId, int rank, RangeRequest.RangeKind kind);
}
