package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.cli.CliRun;
import io.vertxscr.client.Scr;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: what an application says of its datasets with current, drop and delete holds from then on. */
class DatasetCommandsTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2"};

  /** Keeps three checkpoints in the caches, and flushes every n-th. */
  private TestCluster cluster(int flushEvery) throws IOException {
    return new TestCluster(
        vertx, directory, TestCluster.Setup.of(Scheme.XOR).cached(3).flushing(flushEvery, false), NODES);
  }

  private static void refused(Runnable call, Fault fault, String... named) {
    assertThatThrownBy(call::run).isInstanceOfSatisfying(ScrException.class, e -> {
      assertThat(e.fault()).as(e.getMessage()).isEqualTo(fault);
      assertThat(e.getMessage()).contains(named);
    });
  }

  private static void alone(TestCluster cluster, java.util.function.Consumer<Scr> calls) throws Exception {
    cluster.all(scr -> {
      calls.accept(scr);
      scr.finish();
      return 0;
    }, NODES);
  }

  @Test
  void aCheckpointMadeCurrentIsRestartedFromUntilThereIsOneThatWasWrittenLater() throws Exception {
    for (int flushEvery : List.of(0, 1)) {
      try (TestCluster cluster = cluster(flushEvery)) {
        cluster.steps(1, 3, NODES);
        alone(cluster, scr -> {
          assertThat(scr.restart()).isPresent().get().satisfies(restart -> restart.complete(true));
          scr.current("step-2");
          assertThat(scr.restart()).as("the application has restarted by itself").isEmpty();
        });
        assertThat(cluster.restart(NODES)).as("the newer one in the caches is left alone").isEqualTo(2);
        assertThat(cluster.index().current()).isEqualTo(Optional.of("step-2").filter(_ -> flushEvery > 0));
        assertThat(cluster.steps(4, 4, NODES)).isEqualTo(2);
        assertThat(cluster.restart(NODES)).as("written after that").isEqualTo(4);
      }
      clear();
    }
  }

  @Test
  void whatSomebodySetsCurrentInTheIndexAfterTheApplicationHasNamedAnotherIsRestartedFrom() throws Exception {
    try (TestCluster cluster = cluster(1)) {
      cluster.steps(1, 4, NODES);
      alone(cluster, scr -> {
        assertThat(scr.restart()).isPresent().get().satisfies(restart -> restart.complete(true));
        scr.current("step-2");
      });
      assertThat(CliRun.of(Map.of(), "index", "--prefix", cluster.prefix(), "--current", "step-3"))
          .returns(0, CliRun::exit);
      assertThat(cluster.restart(NODES)).isEqualTo(3);
    }
  }

  /** Method: the caches keep three. The leader, without ranks, has lost its state when the application asks. */
  @ParameterizedTest
  @CsvSource({"0, 4", "1, 2"})
  void aCheckpointNamedBeforeTheRestartIsReadAndNothingNewerIsLostWithoutAWord(int flushEvery, int named)
      throws Exception {
    TestCluster.Setup setup = TestCluster.Setup.of(Scheme.XOR).cached(3).flushing(flushEvery, false);
    try (TestCluster cluster = new TestCluster(vertx, directory, setup, "n0", "n1", "n2")) {
      cluster.steps(1, 5, NODES);
      CyclicBarrier both = new CyclicBarrier(NODES.length);
      List<List<String>> told = cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        refused(() -> scr.current("step-9"), Fault.NO_SUCH_DATASET, "step-9");
        scr.current("step-3");
        scr.current("step-" + named);
        assertThat(cluster.held("n1")).as("it may want to read it by itself").containsExactly(3, 4, 5);
        if (both.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS) == 0) {
          cluster.nodes().kill("n0");
        }
        both.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        assertThat(RankProgram.restart(scr, 3)).isEqualTo(named);
        RankProgram.checkpoint(scr, cluster.prefix(), named + 1, 3);
        return scr.remarks();
      }), NODES);
      cluster.awaitOver(NODES);
      assertThat(told.getLast()).as("said by rank 0 alone").isEmpty();
      assertThat(told.getFirst()).last(InstanceOfAssertFactories.STRING)
          .contains("dataset " + named + " \"step-" + named + "\"", "left alone: step-" + (named + 1))
          .contains("step-5", "until a new one of its name replaces it");
      assertThat(cluster.held("n1")).as("no id is used again").contains(6);
      assertThat(cluster.record("n1", 6).descriptor().name()).isEqualTo("step-" + (named + 1));
      if (flushEvery > 0) {
        assertThat(cluster.index().entries()).extracting(Index.Entry::name)
            .containsExactly("step-1", "step-2", "step-4", "step-5", "step-3");
        assertThat(cluster.prefix().resolve("step-5/rank-1-0")).hasBinaryContent(RankProgram.bytes(1, 5, 0));
      }
      assertThat(cluster.restart(NODES)).as("goes on from there").isEqualTo(named + 1);
    }
  }

  @Test
  void anUnreadableNamedCheckpointIsSkippedAndRankZeroIsToldWhy() throws Exception {
    try (TestCluster cluster = cluster(1)) {
      cluster.steps(1, 5, NODES);
      Files.write(cluster.prefix().resolve("step-2/rank-1-0"), RankProgram.bytes(0, 9, 0));
      cluster.all(scr -> {
        scr.current("step-2");
        assertThat(RankProgram.restart(scr, 3)).isEqualTo(1);
        if (scr.rank() == 0) {
          assertThat(scr.remarks()).last(InstanceOfAssertFactories.STRING)
              .contains("dataset 2 \"step-2\"", "passed over", "rank-1-0");
        }
        scr.finish();
        return 0;
      }, NODES);
    }
  }

  private void clear() throws IOException {
    for (Path path : List.of(directory.resolve("prefix"), directory.resolve("cache"), directory.resolve("cntl"))) {
      try (var paths = Files.walk(path)) {
        for (Path each : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }

  @Test
  void aDroppedDatasetIsForgottenAndItsFilesInThePrefixStay() throws Exception {
    try (TestCluster cluster = cluster(1)) {
      cluster.steps(1, 3, NODES);
      alone(cluster, scr -> scr.drop("step-3"));
      assertThat(cluster.index().entries()).extracting(Index.Entry::name).containsExactly("step-1", "step-2");
      assertThat(cluster.held("n1")).containsExactly(1, 2);
      assertThat(cluster.prefix().resolve("step-3/rank-1-0")).hasBinaryContent(RankProgram.bytes(1, 3, 0));
      assertThat(cluster.restart(NODES)).isEqualTo(2);
      assertThat(cluster.steps(4, 4, NODES)).isEqualTo(2);
      assertThat(cluster.index().find("step-4").orElseThrow().id()).as("ids are never used again").isEqualTo(4);
    }
  }

  @Test
  void aDeletedDatasetIsGoneFromCachesIndexAndPrefixAndNoOtherLosesAFile() throws Exception {
    try (TestCluster cluster = cluster(1)) {
      cluster.steps(1, 3, NODES);
      alone(cluster, scr -> scr.delete("step-2"));
      assertThat(cluster.index().entries()).extracting(Index.Entry::name).containsExactly("step-1", "step-3");
      assertThat(cluster.held("n2")).containsExactly(1, 3);
      assertThat(cluster.prefix().resolve("step-2")).doesNotExist();
      assertThat(new PrefixPaths(cluster.prefix()).dataset(2)).doesNotExist();
      cluster.lose("n1");
      cluster.lose("n2");
      cluster.nodes().start("n1");
      cluster.nodes().start("n2");
      assertThat(cluster.restart(NODES)).isEqualTo(3);
      alone(cluster, scr -> scr.delete("step-3"));
      assertThat(cluster.restart(NODES)).isEqualTo(1);
    }
  }

  @Test
  void aDatasetThatIsOnlyInTheCachesIsDroppedAndDeletedToo() throws Exception {
    try (TestCluster cluster = cluster(0)) {
      cluster.steps(1, 3, NODES);
      alone(cluster, scr -> {
        scr.drop("step-3");
        scr.delete("step-2");
      });
      assertThat(cluster.held("n1")).containsExactly(1);
      assertThat(cluster.restart(NODES)).isEqualTo(1);
    }
  }

  /** Method: the newest is removed, all daemons and caches end, and the next run writes the next one. */
  @ParameterizedTest
  @ValueSource(strings = {"drop", "delete", "SCR_CACHE_PURGE", "SCR_PREFIX_PURGE"})
  void idsAreNeverUsedAgainAlsoWhenNobodyHasTheDatasetAnyMore(String how) throws Exception {
    for (int flushEvery : List.of(0, 1)) {
      TestCluster.Setup setup = TestCluster.Setup.of(Scheme.XOR).cached(3).flushing(flushEvery, false);
      try (TestCluster cluster = new TestCluster(vertx, directory, setup, NODES)) {
        cluster.steps(1, 3, NODES);
        if (how.equals("drop")) {
          alone(cluster, scr -> scr.drop("step-3"));
        } else if (how.equals("delete")) {
          alone(cluster, scr -> scr.delete("step-3"));
        }
      }
      if (how.startsWith("SCR_")) {                       // a run that empties them, and writes nothing
        try (TestCluster cluster = new TestCluster(vertx, directory, setup.with(how, "1")
            .with("SCR_CACHE_PURGE", "1"), NODES)) {
          cluster.steps(1, 0, NODES);
        }
      }
      try (TestCluster cluster = new TestCluster(vertx, directory, setup, NODES)) {
        cluster.deleteAllStorage(NODES);
        cluster.steps(4, 4, NODES);
        assertThat(cluster.held("n1")).as("with SCR_FLUSH=" + flushEvery).contains(4);
        assertThat(cluster.record("n1", 4).descriptor().name()).isEqualTo("step-4");
      }
      clear();
    }
  }

  /** A dropped dataset is not overwritten by later ones: it may be added again. */
  @Test
  void aDroppedDatasetKeepsItsMapAndSummaryThroughLaterFlushes() throws Exception {
    PrefixPaths paths = new PrefixPaths(directory.resolve("prefix"));
    try (TestCluster cluster = cluster(1)) {
      cluster.steps(1, 3, NODES);
      alone(cluster, scr -> scr.drop("step-3"));
      Files.deleteIfExists(paths.restartFile());          // as a prefix directory of SCR has none
    }
    try (TestCluster cluster = cluster(1)) {
      cluster.deleteAllStorage(NODES);
      assertThat(cluster.steps(4, 4, NODES)).isEqualTo(2);
      assertThat(cluster.index().find("step-4").orElseThrow().id()).isEqualTo(4);
      assertThat(paths.summary(3)).exists();
    }
  }

  /** As in SCR: a program that keeps only the newest deletes each older one, in any place. */
  @Test
  void whatHasLeftTheCachesAndWasNeverFlushedIsDroppedAndDeletedWithoutAWord() throws Exception {
    try (TestCluster cluster = cluster(0)) {
      cluster.steps(1, 5, NODES);
      Eventually.holds("evictions", () -> cluster.held("n1").equals(List.of(3, 4, 5)));
      cluster.nodes().kill("n1");                         // another leader, which has not seen them itself
      cluster.nodes().start("n1");
      alone(cluster, scr -> {
        scr.delete("step-1");
        scr.drop("step-2");
        scr.delete("step-1");
        refused(() -> scr.delete("step-6"), Fault.NO_SUCH_DATASET, "\"step-6\"", "step-3, step-4, step-5");
      });
      assertThat(cluster.restart(NODES)).isEqualTo(5);
    }
  }

  @Test
  void whatIsDroppedWhileItIsOnOfferGivesWayToTheNextOlder() throws Exception {
    try (TestCluster cluster = cluster(0)) {
      cluster.steps(1, 3, NODES);
      cluster.all(scr -> {
        scr.drop("step-3");
        int step = RankProgram.restart(scr, 3);
        scr.finish();
        return step;
      }, NODES).forEach(step -> assertThat(step).isEqualTo(2));
    }
  }

  @Test
  void aNameThatNobodyKnowsIsRefusedWithThoseThereAreAndChangesNothing() throws Exception {
    try (TestCluster cluster = cluster(0)) {
      alone(cluster, scr -> refused(() -> scr.drop("x"), Fault.NO_SUCH_DATASET, "\"x\"", "both are empty"));
      cluster.steps(1, 2, NODES);
      alone(cluster, scr -> {
        refused(() -> scr.current("x"), Fault.NO_SUCH_DATASET, "checkpoint \"x\"", "step-1, step-2");
        refused(() -> scr.drop("x"), Fault.NO_SUCH_DATASET, "dataset \"x\"", "step-1, step-2");
        refused(() -> scr.delete("x"), Fault.NO_SUCH_DATASET, "dataset \"x\"", "step-1, step-2");
        refused(() -> scr.delete("step-" + (scr.rank() + 1)), Fault.RANKS_DISAGREE, "n1", "n2", "step-1", "step-2");
      });
      assertThat(cluster.restart(NODES)).isEqualTo(2);
      assertThat(cluster.held("n1")).containsExactly(1, 2);
    }
  }

  /** It may be there: to be told that it is not would have somebody write it again, or give it up. */
  @Test
  void whereTheIndexCannotBeReadNobodyIsToldThatThereIsNoSuchDataset() throws Exception {
    try (TestCluster cluster = cluster(1)) {
      cluster.steps(1, 1, NODES);
      Path index = new PrefixPaths(cluster.prefix()).index();
      alone(cluster, scr -> {
        if (scr.rank() == 0) {
          refused(() -> scr.flushed("step-0"), Fault.NO_SUCH_DATASET, "step-0");
          replace(index);
        }
        refused(() -> scr.current("step-0"), Fault.IO, "index.scr");
        refused(() -> scr.flushed("step-0"), Fault.IO, "index.scr");
      });
    }
  }

  /** By a directory: an error of the operating system, for root too. */
  private static void replace(Path file) {
    try {
      Files.delete(file);
      Files.createDirectory(file);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void aDatasetWhoseFlushDoesNotSucceedIsDroppedAllTheSame() throws Exception {
    try (TestCluster cluster = new TestCluster(
        vertx, directory, TestCluster.Setup.of(Scheme.XOR).cached(3).flushing(1, true), NODES)) {
      cluster.steps(1, 1, NODES);
      CyclicBarrier routed = new CyclicBarrier(NODES.length);
      cluster.all(scr -> {
        try (var output = scr.startCheckpoint("step-2")) {
          Files.write(output.route(cluster.prefix() + "/later/rank-" + scr.rank()), RankProgram.bytes(0, 2, 0));
          if (routed.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS) == 0) {
            // the flush meets a file where it needs a directory, and tries forever
            Files.writeString(cluster.prefix().resolve("later"), "in the way");
          }
          output.complete(true);
        }
        scr.drop("step-2");
        scr.finish();
        return 0;
      }, NODES);
      assertThat(cluster.held("n1")).containsExactly(1);
      assertThat(cluster.restart(NODES)).isEqualTo(1);
      assertThat(cluster.index().entries()).extracting(Index.Entry::name).containsExactly("step-1");
    }
  }
}
