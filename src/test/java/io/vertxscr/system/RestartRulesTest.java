package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonArray;
import io.vertxscr.client.Restart;
import io.vertxscr.client.Scr;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.LogFile;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.timing.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: which checkpoint a restart takes, when it takes another one, and when it refuses to begin. */
class RestartRulesTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2"};

  private TestCluster cluster(int cached, int flushEvery) throws Exception {
    return new TestCluster(
        vertx, directory, TestCluster.Setup.of(Scheme.XOR).cached(cached).flushing(flushEvery, false), NODES);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void anInvalidRestartMarksTheCheckpointFailedAndFallsBackUntilNoneIsLeft(int flushEvery) throws Exception {
    try (TestCluster cluster = cluster(3, flushEvery)) {
      cluster.steps(1, 3, NODES);
      List<String> offered = cluster.all(scr -> {
        List<String> names = new ArrayList<>();
        for (Optional<Restart> restart = scr.restart(); restart.isPresent(); restart = scr.restart()) {
          names.add(restart.get().name());
          Restart last = restart.get();
          assertThatThrownBy(() -> last.complete(scr.rank() == 0)).isInstanceOfSatisfying(ScrException.class,
              e -> assertThat(e.fault()).as(e.getMessage()).isEqualTo(Fault.NOT_VALID));
        }
        RankProgram.checkpoint(scr, cluster.prefix(), 4, 3);
        scr.finish();
        return names;
      }, NODES).getLast();
      assertThat(offered).containsExactly("step-3", "step-2", "step-1");
      if (flushEvery > 0) {
        assertThat(cluster.index().entries()).filteredOn(entry -> entry.failed().isPresent())
            .extracting(Index.Entry::name).containsExactly("step-1", "step-2", "step-3");
        assertThat(cluster.index().candidates()).extracting(Index.Entry::name).containsExactly("step-4");
      }
      assertThat(cluster.held("n1")).containsExactly(4);
      assertThat(cluster.restart(NODES)).isEqualTo(4);
    }
  }

  @Test
  void skippedCheckpointsAndStartsWithoutOneAreLoggedAndReported() throws Exception {
    try (TestCluster cluster = cluster(3, 1)) {
      cluster.steps(1, 2, NODES);
      cluster.deleteAllStorage(NODES);
      Path file = cluster.prefix().resolve("step-2/rank-1-0");
      byte[] bytes = Files.readAllBytes(file);
      bytes[99] ^= 2;
      Files.write(file, bytes);
      Files.delete(cluster.prefix().resolve("step-2/rank-0-1"));
      Files.delete(cluster.prefix().resolve("step-1/rank-0-1"));

      List<List<String>> heard = cluster.all(scr -> {
        assertThat(RankProgram.restart(scr, 3)).isZero();
        scr.finish();
        return scr.remarks();
      }, NODES);
      assertThat(heard.getFirst()).as("said by rank 0").hasSize(3);
      assertThat(heard.subList(1, heard.size())).as("and by no other").allMatch(List::isEmpty);
      assertThat(cluster.status("n1").getJsonArray("remarks")).isEqualTo(new JsonArray(heard.getFirst()));
      assertThat(cluster.status("n1").getJsonArray("remarks").stream().map(String::valueOf)).satisfiesExactly(
          anew -> assertThat(anew).startsWith("none of the checkpoints that the index of "
              + cluster.prefix() + " lists, 2 in all, could be used: the run starts without a checkpoint"),
          second -> assertThat(second)
              .startsWith("dataset 2 \"step-2\" of the prefix directory was passed over: ")
              .contains("rank-1-0", "rank-0-1"),
          first -> assertThat(first)
              .startsWith("dataset 1 \"step-1\" of the prefix directory was passed over: ").contains("rank-0-1"));
      assertThat(cluster.restart(NODES)).as("both have failed").isZero();
      assertThat(cluster.status("n1").getJsonArray("remarks").stream().map(String::valueOf)).satisfiesExactly(
          anew -> assertThat(anew).contains("2 in all"));
      assertThat(cluster.held("n1")).as("parts of a dataset that could not be fetched").isEmpty();
      assertThat(cluster.held("n2")).isEmpty();
      Eventually.holds("the log", () -> passedOver(cluster).size() == 4);
      assertThat(passedOver(cluster)).satisfiesExactly(
          second -> assertThat(second).startsWith("FETCH_FAIL 2 CORRUPT: ").contains("rank-1-0", "rank-0-1"),
          first -> assertThat(first).startsWith("FETCH_FAIL 1 ").contains("rank-0-1"),
          anew -> assertThat(anew).startsWith("RESTART_ANEW null none of the checkpoints"),
          again -> assertThat(again).startsWith("RESTART_ANEW null none of the checkpoints"));
    }
  }

  /** Method: two alternating prefix directories, the second one new, with the first's checkpoints cached. */
  @Test
  void checkpointsAreCountedForEachPrefixDirectoryAndIdsForAllThatAreCached() throws Exception {
    try (TestCluster cluster = cluster(3, 2)) {
      cluster.steps(1, 3, NODES);
      Path other = Files.createDirectories(directory.resolve("other"));
      EmbeddedRun.all(new EmbeddedRun(cluster.nodes(), other, List.of(NODES)).start(scr -> {
        RankProgram.checkpoint(scr, other, 4, 1);
        RankProgram.checkpoint(scr, other, 5, 1);
        return 0;
      }));
      assertThat(new PrefixIndex(new PrefixPaths(other),
          PatientLocks.user("test", Duration.ofSeconds(5))).read().index().entries())
          .singleElement().satisfies(entry -> {
            assertThat(entry.id()).isEqualTo(5);
            assertThat(entry.descriptor().checkpointId()).isEqualTo(2);
          });
    }
  }

  private static List<String> passedOver(TestCluster cluster) {
    return new LogFile(new PrefixPaths(cluster.prefix())).read().stream()
        .filter(line -> line.event().filter(List.of("FETCH_FAIL", "RESTART_ANEW")::contains).isPresent())
        .map(line -> line.event().get() + " " + line.fields().get("dset") + " " + line.fields().get("note")).toList();
  }

  @Test
  void scriptsFindOnHowManyNodesTheLastRunWas() throws Exception {
    try (TestCluster cluster = cluster(1, 0)) {
      FlushFileStore scripts =
          new FlushFileStore(new PrefixPaths(cluster.prefix()), PatientLocks.user("test", Duration.ofSeconds(5)));
      assertThat(scripts.nodes()).isEmpty();
      cluster.steps(1, 1, "n1", "n2", "n1");
      assertThat(scripts.nodes()).hasValue(2);
      cluster.deleteAllStorage("n1", "n2");
      cluster.steps(2, 2, "n2", "n2", "n2");
      assertThat(scripts.nodes()).hasValue(1);
    }
  }

  @Test
  void idsOfDatasetsThatCouldNotBeReadAreNotUsedAgainEvenAfterACrash() throws Exception {
    try (TestCluster cluster = cluster(3, 0)) {
      cluster.steps(1, 2, NODES);
      CyclicBarrier all = new CyclicBarrier(NODES.length);
      cluster.all(scr -> {
        Restart restart = scr.restart().orElseThrow();
        assertThatThrownBy(() -> restart.complete(false)).isInstanceOf(ScrException.class);
        all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        return 0;
      }, NODES);
      cluster.awaitOver(NODES);
    }
    try (TestCluster cluster = cluster(3, 0)) {           // daemons that have never heard of the second one
      assertThat(cluster.steps(3, 3, NODES)).isEqualTo(1);
      assertThat(cluster.held("n1")).containsExactly(1, 3);
    }
  }

  /** Then nobody starts it again and again: the mistake, ours, would meet each run. */
  @Test
  void aRestoreThatFailsUnexpectedlyIsInTheHaltFileUntilSomebodyTakesItOut() throws Exception {
    String[] next = {"n1", "n3"};
    try (TestCluster cluster = cluster(1, 0)) {
      cluster.steps(1, 1, NODES);
      cluster.lose("n2");
      cluster.nodes().disturb((_, _) -> (_, _) -> {
        throw new IllegalStateException("a mistake");
      });
      cluster.nodes().start("n3");
      for (CompletableFuture<String> rank : cluster.run(next).start(Scr::node)) {
        assertThat(EmbeddedRun.failure(rank)).isInstanceOfSatisfying(ScrException.class,
            e -> assertThat(e.fault()).isEqualTo(Fault.INTERNAL)).hasMessageContaining("a mistake");
      }
      Eventually.holds("the note of it",
          () -> Halts.of(cluster.prefix()).read().reason().equals(Optional.of("SCR_INIT_FAILED")));
      try (RawRank rank = new RawRank(vertx, "n1", 0)) {
        RawRank.refused(rank.init(RawRank.initBody(0, 1, cluster.prefix().toString(), "test")), Fault.HALTED,
            "SCR_INIT_FAILED", "scr halt --remove");
      }
      cluster.lose("n3");
      cluster.nodes().disturb((_, sources) -> sources);
      cluster.nodes().start("n3");
      Halts.remove(cluster.prefix());
      assertThat(cluster.restart(next)).isEqualTo(1);
    }
  }

  /**
   * A transient file system failure would cause a start without checkpoint after weeks of computing. Its datasets would
   * reuse existing ids, and with SCR_DISTRIBUTE=0 the caches would be emptied.
   */
  @Test
  void anUnreadablePrefixDirectoryCausesNoStartWithoutCheckpoint() throws Exception {
    Path index;
    try (TestCluster cluster = cluster(1, 1)) {
      cluster.steps(1, 2, NODES);
      index = new PrefixPaths(cluster.prefix()).index();
      unreadable(index);
      assertThat(cluster.restart(NODES)).as("from the caches").isEqualTo(2);
      cluster.deleteAllStorage(NODES);
      refusedToBegin(cluster);
    }
    TestCluster.Setup setup = TestCluster.Setup.of(Scheme.XOR).flushing(1, false);
    try (TestCluster cluster = new TestCluster(vertx, directory, setup.with("SCR_FETCH", "0"), NODES)) {
      assertThat(cluster.restart(NODES)).as("it is not to be read").isZero();
    }
    readable(index);
    try (TestCluster cluster = cluster(1, 1)) {
      assertThat(cluster.steps(3, 3, NODES)).isEqualTo(2);
      unreadable(index);
    }
    try (TestCluster cluster = new TestCluster(vertx, directory, setup.with("SCR_DISTRIBUTE", "0"), NODES)) {
      refusedToBegin(cluster);
      assertThat(cluster.held("n1")).contains(3);
      Files.delete(cluster.store("n1").redundancy(3, 0).orElseThrow());
      cluster.lose("n2");
      cluster.nodes().start("n2");
    }
    try (TestCluster cluster = cluster(1, 1)) {
      refusedToBegin(cluster);                            // what the caches have cannot be restored
      assertThat(cluster.held("n1")).contains(3);
    }
  }

  private static void refusedToBegin(TestCluster cluster) throws Exception {
    for (CompletableFuture<String> rank : cluster.run(NODES).start(Scr::node)) {
      assertThat(EmbeddedRun.failure(rank)).isInstanceOfSatisfying(ScrException.class,
          e -> assertThat(e.fault()).as(e.getMessage()).isEqualTo(Fault.IO))
          .hasMessageContainingAll(cluster.prefix().toString(), "index.scr", "Nothing has been changed", "SCR_FETCH=0");
    }
  }

  /** The caches know a prefix directory by its path, which may be another one in the next job. */
  @Test
  void aRunThatGivesItsDirectoryAnotherPathIsRefusedWhereTheCachesAloneHaveTheNewest() throws Exception {
    Path link = directory.resolve("link");
    try (TestCluster cluster = cluster(3, 0)) {
      cluster.steps(1, 2, NODES);
      Files.createSymbolicLink(link, cluster.prefix());
      for (CompletableFuture<Integer> rank : at(link, cluster).start(scr -> RankProgram.restart(scr, 3))) {
        assertThat(EmbeddedRun.failure(rank)).isInstanceOfSatisfying(ScrException.class,
            e -> assertThat(e.fault()).as(e.getMessage()).isEqualTo(Fault.BAD_CONFIGURATION))
            .hasMessageContainingAll("dataset 2 \"step-2\"", cluster.prefix().toString(),
                link.toString(), "scr drop 2");
      }
      assertThat(cluster.restart(NODES)).as("by the path that they know").isEqualTo(2);
    }
    try (TestCluster cluster = cluster(3, 1)) {
      cluster.steps(3, 3, NODES);
      assertThat(EmbeddedRun.all(at(link, cluster).start(scr -> RankProgram.restart(scr, 3))))
          .as("the newest is in the prefix directory").containsOnly(3);
    }
  }

  @Test
  void aRunInAnotherDirectoryBeginsWithoutTheCheckpointsOfTheFirst() throws Exception {
    try (TestCluster cluster = cluster(3, 0)) {
      cluster.steps(1, 2, NODES);
      Path other = Files.createDirectory(directory.resolve("other"));
      assertThat(EmbeddedRun.all(at(other, cluster).start(scr -> RankProgram.restart(scr, 3)))).containsOnly(0);
    }
  }

  private static EmbeddedRun at(Path prefix, TestCluster cluster) {
    return new EmbeddedRun(cluster.nodes(), prefix, List.of(NODES));
  }

  /** Elsewhere all datasets must be added by hand; until then the job starts without a checkpoint. */
  @Test
  void anIndexThatIsLostIsMadeAgainFromTheDatasetsWhenARunBegins() throws Exception {
    try (TestCluster cluster = cluster(1, 1)) {
      cluster.steps(1, 2, NODES);
      cluster.deleteAllStorage(NODES);
      Files.delete(new PrefixPaths(cluster.prefix()).index());
      assertThat(cluster.steps(3, 3, NODES)).isEqualTo(2);
      assertThat(cluster.index().entries()).extracting(Index.Entry::name).containsExactly("step-1", "step-2", "step-3");
      assertThat(cluster.index().current()).contains("step-3");
    }
  }

  /** A directory in the place of a file: an error of the operating system, for root too. */
  private static void unreadable(Path file) throws Exception {
    Files.move(file, file.resolveSibling("aside"));
    Files.createDirectory(file);
  }

  private static void readable(Path file) throws Exception {
    Files.delete(file);
    Files.move(file.resolveSibling("aside"), file);
  }

  /** Elsewhere one start with a wrong number of ranks marks all flushed checkpoints as failed. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aRestartWithAnotherNumberOfRanksIsRefusedAndHarmsNoCheckpoint(int flushEvery) throws Exception {
    try (TestCluster cluster = cluster(2, flushEvery)) {
      cluster.steps(1, 2, NODES);
      for (String[] ranks : List.of(new String[] {"n1"}, new String[] {"n1", "n2", "n2"})) {
        for (CompletableFuture<String> rank : cluster.run(ranks).start(Scr::node)) {
          assertThat(EmbeddedRun.failure(rank)).isInstanceOfSatisfying(ScrException.class, e -> {
            assertThat(e.fault()).isEqualTo(Fault.RANKS_DISAGREE);
            assertThat(e).hasMessageContainingAll("dataset 2 \"step-2\"", "2 ranks", "this run has " + ranks.length);
          });
        }
      }
      if (flushEvery > 0) {
        assertThat(cluster.index().candidates()).hasSize(2);
        for (String node : NODES) {
          cluster.lose(node);
          cluster.nodes().start(node);
        }
        assertThat(EmbeddedRun.failure(cluster.run("n1").start(0, Scr::node))).isInstanceOf(ScrException.class);
      }
      assertThat(cluster.restart(NODES)).isEqualTo(2);
    }
  }
}
