package io.vertxscr.redundancy;

import java.util.List;

/**
 * Rows of parity that a rank has computed for other members of its set: they pull them instead of computing the same
 * from all the data again.
 *
 * @param rank who has computed them: the first holder of its stripe
 * @param name the file in which they stand one after the other, from row 1 on, relative to the dataset's directory
 * @param crcs CRC-32 of each of them
 */
public record FinishedParity(int rank, String name, List<Integer> crcs) {
  public FinishedParity {
    crcs = List.copyOf(crcs);
  }
}
