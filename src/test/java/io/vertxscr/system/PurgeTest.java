package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: who wants to begin with empty caches, or an empty prefix directory, begins so, and never loses what was written
 * after that: a relaunch finds it. Method: runs that die, in one allocation and in the next, all daemons new each time.
 */
class PurgeTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2"};

  private TestCluster cluster(TestCluster.Setup setup) throws Exception {
    return new TestCluster(vertx, directory, setup, NODES);
  }

  /** A run that writes these steps and dies; the step that it restarted from. */
  private static int dies(TestCluster cluster, int first, int last) throws Exception {
    return cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
      int step = RankProgram.restart(scr, 3);
      for (int next = first; next <= last; next++) {
        RankProgram.checkpoint(scr, cluster.prefix(), next, 3);
      }
      return step;
    }), NODES).getFirst();
  }

  private static TestCluster.Setup setup(int flushEvery) {
    return TestCluster.Setup.of(Scheme.XOR).flushing(flushEvery, false)
        .with("SCR_DISTRIBUTE", flushEvery == 0 ? "1" : "0");
  }

  /** The job has an id, or it is the call of scr run that tells allocations apart. */
  @ParameterizedTest
  @CsvSource({"SCR_CACHE_PURGE,  0, SCR_LAUNCH, 4f, 50", "SCR_PREFIX_PURGE, 1, SCR_JOB_ID, 1, 2"})
  void aRelaunchRestartsFromWhatItsAllocationHasWrittenThoughItsFirstRunBeganEmpty(
      String purge, int flushEvery, String names, String one, String other) throws Exception {
    TestCluster.Setup plain = setup(flushEvery).with("SCR_JOB_ID", "local");
    TestCluster.Setup first = plain.with(purge, "1").with(names, one);
    try (TestCluster cluster = cluster(plain.with(names, one))) {
      assertThat(dies(cluster, 2, 2)).as("of an empty directory").isZero();
    }
    try (TestCluster cluster = cluster(first)) {
      assertThat(dies(cluster, 4, 4)).as("emptied").isZero();
      assertThat(dies(cluster, 5, 5)).as("relaunched").isEqualTo(4);
    }
    try (TestCluster cluster = cluster(first)) {
      assertThat(dies(cluster, 6, 6)).as("relaunched with other daemons").isEqualTo(5);
    }
    try (TestCluster cluster = cluster(plain.with(purge, "1").with(names, other))) {
      assertThat(dies(cluster, 7, 7)).as("in another allocation").isZero();
      assertThat(dies(cluster, 8, 8)).as("and there it is the same").isEqualTo(7);
    }
    assertThat(directory.resolve("prefix/step-6/rank-0-0")).doesNotExist();
  }

  /** Then a relaunch cannot be told from a new beginning. */
  @Test
  void whoseDaemonsBelongToNoAllocationIsToldThatNothingWasEmptiedAgain() throws Exception {
    for (String launch : new String[] {"", "4f"}) {
      try (TestCluster cluster = cluster(setup(0).with("SCR_CACHE_PURGE", "1").with("SCR_JOB_ID", "local")
          .with("SCR_LAUNCH", launch))) {
        assertThat(dies(cluster, 1, 1)).isZero();
        assertThat(cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
          assertThat(RankProgram.restart(scr, 3)).isEqualTo(1);
          return scr.remarks();
        }), NODES).getFirst()).hasSize(launch.isEmpty() ? 1 : 0)
            .allMatch(remark -> remark.contains("another SCR_JOB_ID"));
      }
    }
  }

  /** To empty them a second time, because nobody can see whether it was done, would throw the work of days away. */
  @Test
  void whereNobodyCanSeeWhetherItWasDoneNothingIsEmptied() throws Exception {
    TestCluster.Setup setup = setup(0).with("SCR_CACHE_PURGE", "1");
    try (TestCluster cluster = cluster(setup)) {
      assertThat(dies(cluster, 1, 1)).isZero();
      Path note = cluster.prefix().resolve(".scr/restart.scr");
      Path aside = Files.move(note, directory.resolve("aside"));
      Files.createDirectory(note);
      assertThat(EmbeddedRun.failure(cluster.run(NODES).start(scr -> RankProgram.restart(scr, 3)).getFirst()))
          .isInstanceOfSatisfying(ScrException.class,
              e -> assertThat(e.fault()).as(e.getMessage()).isEqualTo(Fault.IO));
      Files.delete(note);
      Files.move(aside, note);
      assertThat(dies(cluster, 2, 2)).isEqualTo(1);
    }
  }
}
