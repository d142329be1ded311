package io.vertxscr.explain;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Plural;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether a node may be taken away now, with its storage. Pure.
 *
 * @param may whether nothing speaks against it
 * @param reasons what speaks against it, or else why it may, in sentences
 */
public record DrainVerdict(boolean may, List<String> reasons) {
  private static final int MOST_NAMED = 6;

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
    lost("checkpoint", loss.checkpointsLost()).ifPresent(against::add);
    lost("output", gone(loss).filter(dataset -> !dataset.flags().checkpoint()).toList()).ifPresent(against::add);
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
      reasons.add("older checkpoints would be lost: " + titles(gone(loss).toList()));
    }
    return reasons;
  }

  private static Stream<DatasetDescriptor> gone(LossReport loss) {
    return loss.gone().stream().map(lost -> lost.dataset().descriptor());
  }

  private static Optional<String> lost(String kind, List<DatasetDescriptor> datasets) {
    return datasets.isEmpty() ? Optional.empty() : Optional.of(kind + (datasets.size() == 1 ? " " : "s ")
        + titles(datasets) + " would be lost: what is left in the caches does not suffice, and the prefix directory has"
        + " no copy; flush first");
  }

  private static String titles(List<DatasetDescriptor> datasets) {
    return Plural.list(datasets.stream().map(DrainVerdict::title).toList(), MOST_NAMED);
  }

  private static String title(DatasetDescriptor dataset) {
    return dataset.id() + " '" + dataset.name() + "'";
  }
}
