package io.vertxscr.scavenge;

import io.vertxscr.model.DatasetDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Chooses the checkpoints to scavenge: those that a restart would take first. A node that was lost leaves older ones in
 * its cache, which the others have evicted since: they are not needed. Pure.
 *
 * @param checkpoints those to try until one can be had, newest first
 * @param left those that are not needed and are no output, ascending
 * @param there the newest checkpoint in the prefix directory that a restart can use
 */
record ScavengeChoice(List<DatasetDescriptor> checkpoints, List<DatasetDescriptor> left,
    Optional<DatasetDescriptor> there) {
  /** Chooses among datasets that the prefix directory lacks, ascending by id. */
  static ScavengeChoice of(List<DatasetDescriptor> lacking, Optional<DatasetDescriptor> there) {
    List<DatasetDescriptor> newer = new ArrayList<>();
    List<DatasetDescriptor> left = new ArrayList<>();
    for (DatasetDescriptor dataset : lacking) {
      if (there.isPresent() && dataset.id() < there.get().id() && dataset.createdUs() <= there.get().createdUs()) {
        if (!dataset.flags().output()) {
          left.add(dataset);
        }
      } else if (dataset.flags().checkpoint()) {
        newer.add(dataset);
      }
    }
    return new ScavengeChoice(List.copyOf(newer.reversed()), List.copyOf(left), there);
  }
}
