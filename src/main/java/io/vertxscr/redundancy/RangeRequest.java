package io.vertxscr.redundancy;

/**
 * A byte range of something that a node holds for a dataset: the one thing that nodes ask of each other in bulk.
 *
 * @param node who holds it
 * @param rank whose: the owner of the files, or the member that wrote the redundancy file
 * @param offset first byte; for redundancy counted behind the file's header
 * @param bytes length; a logical file reads as zeros behind its end, a redundancy file does not
 */
public record RangeRequest(String node, int datasetId, int rank, Kind kind, long offset, long bytes) {
  /** What is asked for. */
  public enum Kind {
    /** The rank's files, one after the other, padded with zeros. */
    FILES,
    /** The payload of the redundancy file that the rank wrote. */
    REDUNDANCY
  }
}
