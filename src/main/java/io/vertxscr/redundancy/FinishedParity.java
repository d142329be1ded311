package io.vertxscr.redundancy;

import java.util.List;

/**
 * Parity rows that a rank has computed for other members of its set. They pull the rows instead of computing them from
 * all data again.
 *
 * @param rank that has computed them: the first holder of its stripe
 * @param name the file in which they stand one after the other, from row 1 on, relative to the dataset's directory
 * @param crcs CRC-32 of each of them
 */
public record FinishedParity(int rank, String name, List<Integer> crcs) {
  public FinishedParity {
    crcs = List.copyOf(crcs);
  }
}
