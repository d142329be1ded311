package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: an error that passes makes no run go back to an older checkpoint. Method: nodes in virtual time, on a disk in
 * memory; the caches are lost before each restart, and in each another operation on files of the newest dataset fails.
 * Replay with -Dseed=N.
 */
@Timeout(120)
class FetchErrorTest {
  private static final String[] NODES = {"n1", "n2", "n3"};
  private static final long SEED = Long.getLong("seed", 1);

  private int operations;
  private boolean isFetched;

  @Test
  void oneErrorAtAnyOperationOfAFetchCostsNoCheckpoint() throws Exception {
    try (FaultyDisk disk = new FaultyDisk()) {
      VirtualCluster cluster = cluster(disk);
      cluster.bus().watch(sent -> isFetched |= sent.address().endsWith(".run-begin"));
      VirtualRun run = new VirtualRun(cluster, NODES);
      assertThat(run.steps(1, 2)).isZero();
      int failing = 0;
      do {
        failing++;
        cluster.loseCaches(NODES);
        cluster.launch();
        failOnce(disk, failing, "scr.dataset.2", "/step-2/");
        assertThat(run.steps(1, 0)).as("where operation %d fails", failing).isEqualTo(2);
      } while (operations >= failing);
      assertThat(failing).as("operations of a fetch").isGreaterThan(20 * NODES.length);
    }
  }

  /** Method: the newest checkpoint is in the prefix directory alone, the one before it in the caches, too. */
  @Test
  void oneErrorAtAnyOperationOnTheMetadataDoesNotLeadToAnOlderCheckpointOfTheCaches() throws Exception {
    try (FaultyDisk disk = new FaultyDisk()) {
      VirtualCluster cluster = cluster(disk);
      cluster.bus().watch(sent -> isFetched |= sent.address().endsWith(".run-begin"));
      VirtualRun run = new VirtualRun(cluster, Map.of("SCR_CACHE_BYPASS", "1"), NODES);
      assertThat(new VirtualRun(cluster, NODES).steps(1, 1)).isZero();
      int failing = 0;
      do {
        failing++;
        cluster.launch();
        failOnce(disk, failing, "/prefix/.scr/");
        assertThat(run.steps(failing + 1, failing + 1)).as("where operation %d fails", failing).isEqualTo(failing);
      } while (operations >= failing);
      assertThat(failing).as("operations on the index, the history, the dataset").isGreaterThan(20);
    }
  }

  @Test
  void anErrorThatStaysLeadsToTheOlderCheckpoint() throws Exception {
    try (FaultyDisk disk = new FaultyDisk()) {
      VirtualCluster cluster = cluster(disk);
      VirtualRun run = flushedTwoStepsAndLostThem(cluster);
      disk.trouble((_, what) -> {
        if (what.startsWith("read ") && what.contains("/step-2/rank-1-")) {
          throw new IOException("Input/output error");
        }
      });
      assertThat(run.steps(1, 0)).isEqualTo(1);
    }
  }

  /** Nothing is left of the caches, so there is no older checkpoint either. */
  @Test
  void aDiskThatIsFullBetweenFetchAndCommitDelaysTheRestart() throws Exception {
    try (FaultyDisk disk = new FaultyDisk()) {
      VirtualCluster cluster = cluster(disk);
      VirtualRun run = flushedTwoStepsAndLostThem(cluster);
      boolean[] full = new boolean[1];
      cluster.bus().watch(sent -> full[0] |= sent.address().endsWith(".fetch-commit"));
      disk.trouble((_, what) -> {
        if (full[0] && what.matches("(write|open|make directory|link) /walk/c.*")) {
          throw new IOException("No space left on device");
        }
      });
      for (Future<Integer> rank : run.start(run::restart)) {
        assertThat(cluster.await(rank).cause()).isInstanceOfSatisfying(ScrException.class, e -> {
          assertThat(e.fault()).isEqualTo(Fault.NO_SPACE);
          assertThat(e).hasMessageContaining("step-2");
        });
      }
      cluster.bus().watch(_ -> {});
      disk.trouble(FaultyDisk.Trouble.NONE);
      cluster.launch();
      assertThat(run.steps(1, 0)).isEqualTo(2);
    }
  }

  private static VirtualCluster cluster(FaultyDisk disk) throws IOException {
    VirtualCluster cluster = VirtualClusters.in(new Random(SEED), disk.directory("/walk"),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0"), new LocalFiles(disk.system()));
    cluster.start(NODES);
    return cluster;
  }

  private static VirtualRun flushedTwoStepsAndLostThem(VirtualCluster cluster) throws Exception {
    VirtualRun run = new VirtualRun(cluster, NODES);
    assertThat(run.steps(1, 2)).isZero();
    cluster.loseCaches(NODES);
    cluster.launch();
    return run;
  }

  private void failOnce(FaultyDisk disk, int failing, String... parts) {
    operations = 0;
    isFetched = false;
    disk.trouble((_, what) -> {
      boolean counts = !isFetched && Stream.of(parts).anyMatch(what::contains);
      if (counts && ++operations == failing) {
        throw new IOException("Input/output error");
      }
    });
  }
}
