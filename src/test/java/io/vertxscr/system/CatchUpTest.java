package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Scheme;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Goal: behind a restart everything that the caches hold comes back to full strength, or goes. */
class CatchUpTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};
  private static final String[] NEXT = {"n1", "n2", "n5", "n4"};

  private static boolean isProtected(TestCluster cluster, String node, int dataset) {
    return cluster.store(node).find(dataset).filter(record -> !record.ranks().isEmpty()
        && record.ranks().stream().allMatch(rank -> rank.redundancy().isPresent())).isPresent();
  }

  @Test
  void olderCheckpointsAreRebuiltAndProtectedBehindTheRun() throws Exception {
    try (TestCluster cluster =
        new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR).cached(3), NODES)) {
      cluster.steps(1, 3, NODES);
      cluster.lose("n3");
      cluster.nodes().start("n5");
      assertThat(cluster.restart(NEXT)).isEqualTo(3);
      for (int dataset : List.of(1, 2, 3)) {
        Eventually.holds("dataset " + dataset + " on n5", () -> isProtected(cluster, "n5", dataset));
      }
      cluster.lose("n1");
      cluster.nodes().start("n1");
      List<Integer> read = cluster.all(scr -> {
        scr.drop("step-3");
        int step = RankProgram.restart(scr, 3);
        scr.finish();
        return step;
      }, NEXT);
      assertThat(read).as("after a second loss, with the newest dropped").containsOnly(2);
    }
  }

  /** Its nodes may come back. */
  @Test
  void anOlderCheckpointThatCannotBeRebuiltGoesWithTheStoresCountOnly() throws Exception {
    try (TestCluster cluster =
        new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR).cached(3), NODES)) {
      cluster.steps(1, 2, NODES);
      cluster.store("n2").evict(1);
      cluster.store("n3").evict(1);
      assertThat(cluster.steps(3, 3, NODES)).isEqualTo(2);
      assertThat(cluster.held("n1")).containsExactly(1, 2, 3);
      assertThat(cluster.steps(4, 4, NODES)).isEqualTo(3);
      for (String node : NODES) {
        Eventually.holds("dataset 1 to go from " + node, () -> cluster.held(node).equals(List.of(2, 3, 4)));
      }
    }
  }

  /** Elsewhere fetched or rebuilt files are encoded again before the application may read. 487 instead of 297 ms. */
  @Test
  void aProtectionThatFailsIsTriedAgain() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), NODES);
        KillAt atFirst = new KillAt(vertx, KillAt.Point.verb("protect", 1), () -> block(cluster))) {
      cluster.steps(1, 1, NODES);
      cluster.lose("n3");
      cluster.nodes().start("n5");
      atFirst.arm();
      CyclicBarrier all = new CyclicBarrier(NEXT.length + 1);
      var ranks = cluster.run(NEXT).start(scr -> {
        int step = RankProgram.restart(scr, 3);
        all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        scr.finish();
        return step;
      });
      atFirst.dead().get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      Path blocked = cluster.datasetDirectory("n5", 1).resolve(".scr");
      assertThat(blocked).isRegularFile();
      Eventually.holds("all ranks to have read it", () -> all.getNumberWaiting() == NEXT.length);
      assertThat(isProtected(cluster, "n5", 1)).isFalse();
      Files.delete(blocked);
      cluster.awaitProtected(NEXT);
      all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      assertThat(EmbeddedRun.all(ranks)).containsOnly(1);
    }
  }

  /** Method: no node hears that it is to protect what it has fetched before all ranks have read it. */
  @Test
  void whatWasFetchedIsReadBeforeItIsProtectedAgain() throws Exception {
    CountDownLatch read = new CountDownLatch(NODES.length);
    try (TestCluster cluster =
        new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR).flushing(1, false), NODES);
        KillAt encoding = new KillAt(vertx, KillAt.Point.verb("protect", 1), () -> await(read))) {
      cluster.steps(1, 1, NODES);
      cluster.deleteAllStorage(NODES);
      encoding.arm();
      CyclicBarrier all = new CyclicBarrier(NODES.length + 1);
      var ranks = cluster.run(NODES).start(scr -> {
        int step = RankProgram.restart(scr, 3);
        read.countDown();
        all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        scr.finish();
        return step;
      });
      encoding.dead().get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      assertThat(read.getCount()).as("ranks that have not read it when it is to be protected").isZero();
      cluster.awaitProtected(NODES);
      all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      assertThat(EmbeddedRun.all(ranks)).containsOnly(1);
    }
  }

  /** For less than a rank would wait for its answer. */
  private static void await(CountDownLatch read) {
    try {
      read.await(EmbeddedRun.PATIENCE_S / 2, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A file where n5 needs a directory for its redundancy. */
  private static void block(TestCluster cluster) {
    try {
      Path needed = cluster.datasetDirectory("n5", 1).resolve(".scr");
      if (Files.exists(needed)) {
        Files.move(needed, needed.resolveSibling("aside"));
      }
      Files.writeString(needed, "in the way");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void outputThatWasNotFlushedWhenANodeWasLostIsRebuiltForItsFlush() throws Exception {
    try (TestCluster cluster = new TestCluster(
        vertx, directory, TestCluster.Setup.of(Scheme.XOR).cached(2).flushing(0, true), NODES)) {
      Path obstacle = cluster.prefix().resolve("result");
      CyclicBarrier all = new CyclicBarrier(NODES.length);
      cluster.all(scr -> {
        try (var output = scr.startOutput("result", DatasetFlags.OUTPUT)) {
          Path file = output.route(cluster.prefix() + "/result/rank-" + scr.rank());
          Files.write(file, RankProgram.bytes(scr.rank(), 1, 0));
          if (all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS) == 0) {
            Files.writeString(obstacle, "a file where the flush needs a directory");
          }
          all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
          output.complete(true);
        }
        all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        return 0;
      }, NODES);
      cluster.lose("n3");
      Files.delete(obstacle);
      cluster.nodes().start("n5");
      PrefixIndex index = new PrefixIndex(new PrefixPaths(cluster.prefix()),
          PatientLocks.user("test", Duration.ofSeconds(5)));
      Eventually.holds("the flush",
          () -> index.read().index().find("result").filter(Index.Entry::complete).isPresent());
      for (int rank = 0; rank < NODES.length; rank++) {
        assertThat(obstacle.resolve("rank-" + rank)).hasBinaryContent(RankProgram.bytes(rank, 1, 0));
      }
    }
  }
}
