package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: the checkpoint of a restart replaces no older one before it is on stable storage.
 * Method: nodes in virtual time, on a disk in memory that fails to sync the files of one dataset in each run; then the
 * power goes. Replay with -Dseed=N.
 */
@Timeout(120)
class StableRestartTest {
  private static final String[] NODES = {"n1", "n2", "n3"};
  private static final long SEED = Long.getLong("seed", 1);
  private static final Map<String, String> PARAMETERS = Map.of("SCR_COPY_TYPE", "XOR", "SCR_CACHE_SIZE", "1");

  @Test
  void theCheckpointOfARestartIsSyncedBeforeItReplacesAnother() throws Exception {
    try (FaultyDisk disk = new FaultyDisk()) {
      VirtualCluster cluster = begun(disk);
      disk.syncAll();                                     // the directories of the nodes
      VirtualRun run = new VirtualRun(cluster, NODES);
      failSyncs(disk, 2, "open ");                        // a daemon that is started again does not know of it
      assertThat(run.steps(1, 2)).isZero();
      startAgain(cluster);
      failSyncs(disk, 3);
      assertThat(run.steps(3, 3)).isEqualTo(2);
      cluster.pass(Duration.ofSeconds(10));
      try (FaultyDisk after = disk.afterPowerLoss(FaultyDisk.Kept.NOTHING, new Random(SEED))) {
        Path directory = after.system().getPath("/walk");
        VirtualCluster again = new VirtualCluster(new Random(SEED), TestSettings.in(directory, PARAMETERS),
            directory.resolve("prefix"), _ -> new LocalFiles(after.system()));
        again.start(NODES);
        again.launch();
        assertThat(new VirtualRun(again, NODES).steps(4, 3)).isEqualTo(2);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCheckpointOfWhichASyncHasFailedReplacesNoOtherInTheNextRunEither(boolean restarts) throws Exception {
    try (FaultyDisk disk = new FaultyDisk()) {
      VirtualCluster cluster = begun(disk);
      VirtualRun run = new VirtualRun(cluster, NODES);
      failSyncs(disk, 2);
      assertThat(run.steps(1, 2)).isZero();
      if (restarts) {
        startAgain(cluster);
      }
      failSyncs(disk, 3);                                 // those of dataset 2 succeed, without what was lost
      assertThat(run.steps(3, 3)).isEqualTo(2);
      cluster.pass(Duration.ofSeconds(10));
      assertHeld(cluster, 1, 2, 3);
      disk.trouble(FaultyDisk.Trouble.NONE);
      assertThat(run.steps(4, 4)).isEqualTo(3);
      cluster.pass(Duration.ofSeconds(10));
      assertHeld(cluster, 4);
    }
  }

  private static VirtualCluster begun(FaultyDisk disk) throws IOException {
    VirtualCluster cluster = VirtualClusters.in(
        new Random(SEED), disk.directory("/walk"), PARAMETERS, new LocalFiles(disk.system()));
    cluster.start(NODES);
    cluster.launch();
    return cluster;
  }

  private static void assertHeld(VirtualCluster cluster, Integer... datasets) {
    for (String node : NODES) {
      assertThat(cluster.store(node).list()).extracting(held -> held.descriptor().id()).as(node)
          .containsExactly(datasets);
    }
  }

  private static void startAgain(VirtualCluster cluster) {
    for (String node : NODES) {
      cluster.kill(node);
    }
    cluster.start(NODES);
    cluster.launch();
  }

  /** @param noting what begins with this fails as well */
  private static void failSyncs(FaultyDisk disk, int dataset, String... noting) {
    disk.trouble((_, what) -> {
      if (what.startsWith("sync ") && what.contains("scr.dataset." + dataset + "/rank.")
          || Stream.of(noting).anyMatch(what::startsWith) && what.contains("scr.dataset." + dataset + ".lostwrites")) {
        throw new IOException("Input/output error");
      }
    });
  }
}
