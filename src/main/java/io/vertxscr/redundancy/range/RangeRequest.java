package io.vertxscr.redundancy.range;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;

/**
 * A byte range of a dataset on a node: the only bulk request between nodes.
 *
 * @param node that holds it
 * @param rank whose: the owner of the files, or the member that wrote the redundancy file
 * @param offset first byte; for redundancy counted behind the file's header
 * @param bytes length; a logical file reads as zeros behind its end, a redundancy file does not
 */
public record RangeRequest(String node, int datasetId, int rank, RangeKind kind, long offset, long bytes) {
  /** Kind of the requested bytes. */
  public enum RangeKind {
    /** The rank's files, one after the other, padded with zeros. */
    FILES,
    /** The payload of the redundancy file that the rank wrote. */
    REDUNDANCY,
    /** Rows of parity that the rank has computed for other members, while the dataset is being protected. */
    PARITY
  }

  public RangeRequest {
    if (rank < 0 || offset < 0 || bytes < 0 || offset > Long.MAX_VALUE - bytes) {
      throw new ScrException(Fault.BAD_REQUEST,
          "no range: rank " + rank + " of dataset " + datasetId + ", " + bytes + " bytes from " + offset);
    }
  }
}
