package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.client.Restart;
import io.vertxscr.client.Scr;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RestartHistory;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RestartFileStore;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.timing.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a checkpoint that runs die of while they read it is passed over, and no other. */
class QuarantineTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2"};

  private TestCluster cluster(int cached, int flushEvery) throws Exception {
    return new TestCluster(
        vertx, directory, TestCluster.Setup.of(Scheme.XOR).cached(cached).flushing(flushEvery, false), NODES);
  }

  private static RestartHistory history(TestCluster cluster) {
    return new RestartFileStore(new PrefixPaths(cluster.prefix()),
        PatientLocks.user("test", Duration.ofSeconds(5))).read();
  }

  /** Reads what is offered and dies, with all ranks; the step. */
  private static int loadAndDie(TestCluster cluster) throws Exception {
    return dies(cluster, scr -> RankProgram.restart(scr, 3));
  }

  /** Dies with all ranks while it reads what is offered; the step. */
  private static int dieReading(TestCluster cluster) throws Exception {
    return dies(cluster, QuarantineTest::reads);
  }

  private static int dies(TestCluster cluster, EmbeddedRun.Program<Integer> program) throws Exception {
    int step = cluster.all(EmbeddedRun.withoutFinalize(NODES.length, program), NODES).getFirst();
    cluster.awaitOver(NODES);
    return step;
  }

  /** Starts to read the offered checkpoint; returns its step. */
  private static int reads(Scr scr) {
    return step(scr.restart().orElseThrow());
  }

  private static int step(Restart restart) {
    return Integer.parseInt(restart.name().substring("step-".length()));
  }

  private TestCluster loopLimit(int runs) throws Exception {
    return new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR).cached(3)
        .with("SCR_RESTART_LOOP_LIMIT", "" + runs), NODES);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aCheckpointWithThreeFailedReadsIsQuarantinedAndTheOlderOneUsed(int flushEvery)
      throws Exception {
    try (TestCluster cluster = cluster(3, flushEvery)) {
      cluster.steps(1, 2, NODES);
      for (int i = 0; i < Limits.MAX_FRUITLESS_LOADS; i++) {
        assertThat(dieReading(cluster)).isEqualTo(2);
      }
      assertThat(dieReading(cluster)).as("2 is in quarantine").isEqualTo(1);
      Eventually.holds("the note of it", () -> history(cluster).loads().stream()
          .filter(RestartHistory.Load::quarantined).map(RestartHistory.Load::name).toList().equals(List.of("step-2")));
      assertThat(cluster.status("n1").getJsonArray("remarks").getString(0))
          .contains("dataset 2 \"step-2\" is in quarantine");
      cluster.all(scr -> {
        scr.current("step-2");
        scr.finish();
        return 0;
      }, NODES);
      assertThat(loadAndDie(cluster)).as("set current, which ends the quarantine").isEqualTo(2);
    }
  }

  @Test
  void aQuarantineOutlivesTheLossOfAllCachesAndEndsWhenTheIndexNamesTheDataset() throws Exception {
    try (TestCluster cluster = cluster(1, 1)) {
      cluster.steps(1, 2, NODES);
      for (int i = 0; i < Limits.MAX_FRUITLESS_LOADS; i++) {
        for (String node : NODES) {
          cluster.lose(node);
          cluster.nodes().start(node);
        }
        assertThat(dieReading(cluster)).isEqualTo(2);
        // A run that reads nothing, so that what is lost from now on has not ended the one before.
        cluster.all(EmbeddedRun.withoutFinalize(NODES.length, _ -> 0), NODES);
        cluster.awaitOver(NODES);
      }
      assertThat(dieReading(cluster)).isEqualTo(1);
      Eventually.holds("the index without it", () -> cluster.index().current().isEmpty());
      new PrefixIndex(new PrefixPaths(cluster.prefix()), PatientLocks.user("test", Duration.ofSeconds(5)))
          .update(index -> index.setCurrent("step-2"));
      assertThat(cluster.steps(3, 3, NODES)).isEqualTo(2);
    }
  }

  @Test
  void theLossOfANodeIsNoReasonToGiveTheCheckpointUp() throws Exception {
    try (TestCluster cluster = cluster(3, 0)) {
      cluster.steps(1, 2, NODES);
      for (int i = 0; i <= Limits.MAX_FRUITLESS_LOADS; i++) {
        String lost = NODES[i % NODES.length];            // the leader, too
        CyclicBarrier all = new CyclicBarrier(NODES.length);
        assertThat(cluster.all(scr -> {
          Restart restart = scr.restart().orElseThrow();
          if (all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS) == 0) {
            // a dead process notes nothing any more, but a job of an embedded node would
            Eventually.holds("the note of the load",
                () -> history(cluster).loads().stream().anyMatch(load -> load.run() != 0));
            cluster.nodes().kill(lost);
          }
          assertThatThrownBy(() -> restart.complete(true)).isInstanceOf(ScrException.class);
          return step(restart);
        }, NODES)).as("after %d losses", i).containsOnly(2);
        cluster.nodes().start(lost);
      }
    }
  }

  @Test
  void whatARunDiesOfOnceItHasRestartedIsNotHeldAgainstItsCheckpoint() throws Exception {
    try (TestCluster cluster = cluster(3, 0)) {
      cluster.steps(1, 2, NODES);
      for (int i = 0; i < Limits.MAX_FRUITLESS_LOADS + 2; i++) {
        assertThat(loadAndDie(cluster)).isEqualTo(2);
      }
      Eventually.holds("the note of it to go", () -> history(cluster).loads().isEmpty());
    }
  }

  @Test
  void whereALimitIsSetForLoopsRunsThatCompleteNoOtherCheckpointCountToo() throws Exception {
    try (TestCluster cluster = loopLimit(2)) {
      cluster.steps(1, 2, NODES);
      assertThat(loadAndDie(cluster)).isEqualTo(2);
      assertThat(loadAndDie(cluster)).isEqualTo(2);
      assertThat(loadAndDie(cluster)).as("2 is in quarantine").isEqualTo(1);
    }
  }

  /** By a signal that scr run knows of, by a halt condition that holds, or because the allocation ends. */
  @ParameterizedTest
  @ValueSource(strings = {"signal", "halt", "end"})
  void whatSomebodyHasEndedSaysNothingAgainstTheCheckpointThatItWasReading(String by) throws Exception {
    TestCluster.Setup setup = TestCluster.Setup.of(Scheme.XOR).cached(3);
    try (TestCluster cluster = new TestCluster(vertx, directory, !by.equals("end") ? setup
        : setup.with("SCR_END_TIME", "" + (System.currentTimeMillis() / 1000 + 30)), NODES)) {
      cluster.steps(1, 2, NODES);
      for (int i = 0; i <= Limits.MAX_FRUITLESS_LOADS; i++) {
        Halts.remove(cluster.prefix());
        assertThat(dies(cluster, scr -> {
          int read = reads(scr);
          if (by.equals("halt")) {
            Halts.of(cluster.prefix()).update(halt -> halt.withReason(Optional.of("JOB_HALTED")));
            Eventually.holds("the leader's look at it", scr::shouldExit);
          }
          return read;
        })).as("after %d ends", i).isEqualTo(2);
        if (by.equals("signal")) {
          Stream.of(NODES).forEach(node -> cluster.nodes().node(node).endedFromOutside());
        }
      }
    }
  }

  @Test
  void aNewCheckpointAndARegularEndCountAsProgress() throws Exception {
    try (TestCluster cluster = loopLimit(Limits.MAX_FRUITLESS_LOADS)) {
      cluster.steps(1, 2, NODES);
      for (int i = 0; i < 2 * Limits.MAX_FRUITLESS_LOADS; i++) {
        assertThat(cluster.restart(NODES)).as("it ends well each time").isEqualTo(2);
      }
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < Limits.MAX_FRUITLESS_LOADS - 1; i++) {
          assertThat(loadAndDie(cluster)).isEqualTo(2 + round);
        }
        int next = 3 + round;
        CyclicBarrier all = new CyclicBarrier(NODES.length);
        cluster.all(scr -> {
          assertThat(RankProgram.restart(scr, 3)).isEqualTo(next - 1);
          RankProgram.checkpoint(scr, cluster.prefix(), next, 3);
          all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
          return 0;
        }, NODES);
        cluster.awaitOver(NODES);
      }
      assertThat(loadAndDie(cluster)).isEqualTo(4);
      assertThat(history(cluster).loads()).noneMatch(RestartHistory.Load::quarantined);
    }
  }

  @Test
  void whatIsInQuarantineIsBetterThanToBeginAnew() throws Exception {
    try (TestCluster cluster = cluster(1, 0)) {
      cluster.steps(1, 1, NODES);
      for (int i = 0; i < Limits.MAX_FRUITLESS_LOADS + 2; i++) {
        assertThat(dieReading(cluster)).isEqualTo(1);
      }
    }
  }
}
