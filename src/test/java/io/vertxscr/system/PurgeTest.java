package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: purges at run begin empty caches or prefix directory, and never later data. A relaunch finds them. Method: runs
 * that die, in one allocation and in the next, all daemons new each time.
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

  private static TestCluster.Setup setup(int flushEvery, String launch) {
    return TestCluster.Setup.of(Scheme.XOR).flushing(flushEvery, false)
        .with("SCR_DISTRIBUTE", flushEvery == 0 ? "1" : "0").with("SCR_LAUNCH", launch);
  }

  /** All in one allocation, where scr run may be called several times. */
  @ParameterizedTest
  @CsvSource({"SCR_CACHE_PURGE,  0", "SCR_PREFIX_PURGE, 1"})
  void aRelaunchRestartsFromWhatItsScrRunHasWrittenThoughTheFirstRunBeganEmpty(String purge, int flushEvery)
      throws Exception {
    TestCluster.Setup first = setup(flushEvery, "4f").with(purge, "1");
    try (TestCluster cluster = cluster(setup(flushEvery, "4f"))) {
      assertThat(dies(cluster, 2, 2)).as("of an empty directory").isZero();
    }
    try (TestCluster cluster = cluster(first)) {
      assertThat(dies(cluster, 4, 4)).as("emptied").isZero();
      assertThat(dies(cluster, 5, 5)).as("relaunched").isEqualTo(4);
    }
    try (TestCluster cluster = cluster(first)) {
      assertThat(dies(cluster, 6, 6)).as("relaunched with other daemons").isEqualTo(5);
    }
    try (TestCluster cluster = cluster(setup(flushEvery, "50").with(purge, "1"))) {
      assertThat(dies(cluster, 7, 7)).as("by another scr run").isZero();
      assertThat(dies(cluster, 8, 8)).as("and there it is the same").isEqualTo(7);
    }
    assertThat(directory.resolve("prefix/step-6/rank-0-0")).doesNotExist();
  }

  /** As in SCR, also in a script's retry loop after a failure: therefore it is reported each time. */
  @ParameterizedTest
  @CsvSource({"SCR_CACHE_PURGE,  0, 1 dataset deleted from the caches",
      "SCR_PREFIX_PURGE, 1, 'all datasets of the index, 1 in all, were deleted from '"})
  void withoutScrRunEveryStartBeginsEmptyAndRankZeroIsTold(String purge, int flushEvery, String told)
      throws Exception {
    try (TestCluster cluster = cluster(setup(flushEvery, "").with(purge, "1"))) {
      assertThat(dies(cluster, 1, 1)).isZero();
      for (int start = 0; start < 2; start++) {
        List<String> remarks = cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
          assertThat(RankProgram.restart(scr, 3)).isZero();
          RankProgram.checkpoint(scr, cluster.prefix(), 1, 3);
          return scr.remarks();
        }), NODES).getFirst();
        assertThat(remarks).anyMatch(remark -> remark.startsWith(purge + "=1: ") && remark.contains(told))
            .anyMatch(remark -> remark.contains("followed at every start without scr run"));
        cluster.awaitOver(NODES);
      }
    }
  }

  /** A second purge, because the first cannot be confirmed, would lose the work of days. */
  @Test
  void whereNobodyCanSeeWhetherItWasDoneNothingIsEmptied() throws Exception {
    try (TestCluster cluster = cluster(setup(0, "4f").with("SCR_CACHE_PURGE", "1"))) {
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
