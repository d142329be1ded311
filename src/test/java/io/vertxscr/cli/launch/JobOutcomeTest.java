package io.vertxscr.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.launch.LaunchedJob.JobOutcome;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: a job ends well only if its last run and the scavenge did. Datasets that stay in caches are told. */
class JobOutcomeTest {
  /** Method: exit codes of the last run and of the scavenge (empty: none), the expected one, and whether it is told. */
  @ParameterizedTest
  @CsvSource({"0, 0, 0, false", "0, 1, 1, true", "0, 7, 1, true", "0, , 0, true",
      "3, 0, 3, false", "3, 1, 3, true", "143, , 143, true"})
  void theLastRunComesFirstThenTheScavenge(int exit, Integer scavenged, int expected, boolean told) {
    JobOutcome outcome = new JobOutcome(exit, List.of("n1"), Optional.of("only in the caches: dataset 4"),
        Optional.empty());
    OptionalInt after = scavenged == null ? OptionalInt.empty() : OptionalInt.of(scavenged);
    assertThat(outcome.exitAfter(after)).isEqualTo(expected);
    assertThat(outcome.leftInCaches(after).isPresent()).isEqualTo(told);
  }
}
