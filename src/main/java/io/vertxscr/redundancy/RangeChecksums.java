package io.vertxscr.redundancy;

import java.util.List;

/**
 * Checksums of a range of one rank's logical file, computed by its reader. Which stretches of which files they belong
 * to follows from the layout, so it is not said: a range of thousands of small files is thousands of numbers.
 *
 * @param ownerRank whose files
 * @param offset first byte in the logical file
 * @param bytes length, more than 0
 * @param crcs CRC-32 of each stretch, in the order of {@link io.vertxscr.placement.FilePieces#of}
 */
public record RangeChecksums(int ownerRank, long offset, long bytes, List<Integer> crcs) {
  public RangeChecksums {
    crcs = List.copyOf(crcs);
  }
}
