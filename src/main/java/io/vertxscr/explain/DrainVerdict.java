package io.vertxscr.explain;

import io.vertxscr.flow.restart.Exposure.Lost;
import io.vertxscr.model.DatasetDescriptor;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a node may be taken away now, with its storage. Pure.
 *
 * @param may whether nothing speaks against it
 * @param reasons what speaks against it, or else why it may, in sentences
 */
public record DrainVerdict(boolean may, List<String> reasons) {
  public DrainVerdict {
    reasons = List.copyOf(reasons);
  }

  /**
   * Judges by what its loss would cost.
   *
   * @param hasRanks whether the run that is on has ranks there
   */
  public static DrainVerdict of(LossReport loss, boolean hasRanks) {
    List<String> against = new ArrayList<>();
    if (hasRanks) {
      against.add("the run has ranks there and would end: halt it first");
    }
    loss.checkpointsLost().forEach(checkpoint -> against.add("checkpoint " + title(checkpoint)
        + " would be lost: what is left of it in the caches does not suffice, and it is not flushed; flush it first"));
    loss.gone().stream().map(Lost::dataset).map(dataset -> dataset.descriptor())
        .filter(dataset -> !dataset.flags().checkpoint())
        .forEach(output -> against.add("output " + title(output) + " would be lost: flush it first"));
    return against.isEmpty() ? new DrainVerdict(true, forIt(loss)) : new DrainVerdict(false, against);
  }

  private static List<String> forIt(LossReport loss) {
    List<String> reasons = new ArrayList<>();
    reasons.add("no checkpoint that a restart would use, and no output, would be lost");
    loss.restart().ifPresent(use -> reasons.add("a restart takes " + title(use.candidate().descriptor())
        + (use.candidate().cached() ? " of the caches" : " of the prefix directory")
        + (use.rebuilt() == 0 ? "" : "; the files of " + use.rebuilt() + (use.rebuilt() == 1 ? " rank" : " ranks")
            + " would be rebuilt")));
    if (!loss.gone().isEmpty()) {
      reasons.add("older checkpoints would be lost: "
          + String.join(", ", loss.gone().stream().map(lost -> title(lost.dataset().descriptor())).toList()));
    }
    return reasons;
  }

  private static String title(DatasetDescriptor dataset) {
    return dataset.id() + " '" + dataset.name() + "'";
  }
}
