package io.vertxscr.protocol.node.restart;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.RedundancyDescriptor;
import java.util.List;

/**
 * Bring these ranks' files here from the prefix directory.
 *
 * @param base the store that takes them
 */
public record FetchRanks(DatasetDescriptor descriptor, Origin origin, String base, RedundancyDescriptor redundancy,
    List<Integer> ranks, FetchMode how) {
  /**
   * In which way.
   *
   * @param inPlace whether they are checked where they are instead, to be read there; not if they are in containers
   * @param byPath whether every file is wanted at its path in the prefix directory too
   * @param readers files that this node may read there at once, from 1
   */
  public record FetchMode(boolean inPlace, boolean byPath, int readers) {}
}
