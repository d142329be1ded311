package io.vertxscr.model;

import java.util.Objects;

/**
 * Protection of a dataset at the time of its write. It stays with the dataset: a later run rebuilds it by this one,
 * also where other things are configured by then.
 *
 * @param how the descriptor that was chosen for it
 * @param groups number of its redundancy sets; 0 as long as there are none
 */
public record RedundancyDescriptor(CheckpointDescriptor how, int groups) {
  public RedundancyDescriptor {
    Objects.requireNonNull(how);
    if (groups < 0) {
      throw new ScrException(Fault.BAD_REQUEST, groups + " redundancy sets");
    }
  }

  public Scheme scheme() {
    return how.redundancy().scheme();
  }

  /**
   * Returns how many members of any one set may be lost. Less than was asked for where sets are too small for it; what
   * was asked for while there are none.
   *
   * @param ranks in all sets, whose sizes differ by one at most
   */
  public int survives(int ranks) {
    int asked = how.redundancy().failures();
    return groups == 0 ? asked : Math.clamp(ranks / groups - 1, 0, asked);
  }

  /** Returns the descriptor with this number of sets. */
  public RedundancyDescriptor with(int sets) {
    return new RedundancyDescriptor(how, sets);
  }
}
