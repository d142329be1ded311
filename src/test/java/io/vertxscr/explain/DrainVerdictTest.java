package io.vertxscr.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Job;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: a node may be drained if that ends no run and loses nothing that is safe now. Else the answer says what. */
@Execution(ExecutionMode.CONCURRENT)
class DrainVerdictTest {
  private static LossReport losing(List<DatasetDescriptor> checkpoints) {
    return new LossReport(Optional.empty(), Optional.empty(), checkpoints, OptionalLong.empty(), List.of(), List.of(),
        List.of(), List.of(), List.of());
  }

  private static List<DatasetDescriptor> checkpoints(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(id -> new DatasetDescriptor(id, "step-" + id,
        DatasetFlags.CHECKPOINT, 1, id, new Job("", "", "", ""), DatasetDescriptor.Totals.NONE)).toList();
  }

  @Test
  void whatLosesNothingAndEndsNoRunMay() {
    assertThat(DrainVerdict.of(losing(List.of()), false)).isEqualTo(new DrainVerdict(true,
        List.of("no checkpoint that a restart would use, and no output, would be lost")));
  }

  @Test
  void everythingThatSpeaksAgainstItIsSaid() {
    assertThat(DrainVerdict.of(losing(checkpoints(1)), true)).isEqualTo(new DrainVerdict(false, List.of(
        "the run has ranks there and would end: halt it first",
        "checkpoint 1 'step-1' would be lost: what is left in the caches does not suffice, and the prefix directory has"
            + " no copy; flush first")));
  }

  @Test
  void longListsAreCounted() {
    assertThat(DrainVerdict.of(losing(checkpoints(8)), false).reasons()).singleElement().asString()
        .startsWith("checkpoints 1 'step-1', 2 'step-2', ").contains("6 'step-6' and 2 more would be lost");
  }
}
