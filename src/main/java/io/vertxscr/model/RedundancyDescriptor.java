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

  /** Returns the descriptor with this number of sets. */
  public RedundancyDescriptor with(int sets) {
    return new RedundancyDescriptor(how, sets);
  }
}
