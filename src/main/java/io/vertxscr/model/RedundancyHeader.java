package io.vertxscr.model;

import java.util.List;

/**
 * Header of the redundancy bytes, so that one lost node loses no metadata.
 *
 * @param worldRanks number of ranks of the run that wrote it
 * @param chunkBytes XOR and RS: bytes of one segment; PARTNER: bytes of all copied logical files together
 * @param current the files of the member that wrote this
 * @param partners the files of its left neighbours, nearest first, as many as failures are tolerated
 */
public record RedundancyHeader(
    DatasetDescriptor descriptor, int worldRanks, RedundancySet set, long chunkBytes,
    RankFiles current, List<RankFiles> partners) {
  public RedundancyHeader {
    partners = List.copyOf(partners);
  }
}
