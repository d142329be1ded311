package io.vertxscr.redundancy.range;

/**
 * Source of ranges: this node's own disk, a node on the same host, or a peer connection. Blocking: transfer threads
 * only.
 */
public interface RangeSource {
  /**
   * Starts a read. Nothing is buffered ahead beyond what the transport itself holds.
   *
   * @throws io.vertxscr.model.ScrException NODE_LOST, NO_SUCH_DATASET, UNKNOWN_RANK, NO_SUCH_FILE (the rank has no
   *     redundancy file there), CORRUPT, IO
   */
  RangeStream open(RangeRequest request);
}
