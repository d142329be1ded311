package io.vertxscr.service;

import io.vertxscr.model.Fault;
import io.vertxscr.redundancy.range.Layouts;
import io.vertxscr.redundancy.range.RangeSource;

/** Factory of access to other nodes' bytes, for one job. Thread-safe. */
@FunctionalInterface
public interface RangeSources {
  /**
   * Returns ranges by the shortest way: own disk, disk of a node on the same host, or a peer.
   *
   * @param layouts what the job knows of other nodes' files; those can be read by path
   * @param ifDifferent the fault if a file's length is not what its layout says
   */
  RangeSource of(Layouts layouts, Fault ifDifferent);
}
