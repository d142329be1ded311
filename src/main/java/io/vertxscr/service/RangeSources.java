package io.vertxscr.service;

import io.vertxscr.model.Fault;
import io.vertxscr.redundancy.range.Layouts;
import io.vertxscr.redundancy.range.RangeSource;

/** Makes the way to other nodes' bytes for one job. Thread-safe. */
@FunctionalInterface
public interface RangeSources {
  /**
   * Ranges by the shortest way: from this node's disk, from that of a node on the same host, or from a peer.
   *
   * @param layouts what the job knows of other nodes' files; those can be read by path
   * @param ifDifferent the fault if a file's length is not what its layout says
   */
  RangeSource of(Layouts layouts, Fault ifDifferent);
}
