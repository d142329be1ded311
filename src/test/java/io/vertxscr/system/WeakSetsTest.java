package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.config.Settings;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.storage.LocalFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a checkpoint whose sets are too small for its scheme replaces none that survives more losses.
 * Method: every second checkpoint is protected across racks, of which there is one; then a node is lost. Replay with
 * -Dseed=N.
 */
@Timeout(120)
class WeakSetsTest {
  private static final String[] NODES = {"n1", "n2", "n3"};
  private static final long SEED = Long.getLong("seed", 1);

  @TempDir
  Path directory;

  @Test
  void aCheckpointOfOneFailureGroupDoesNotReplaceOneThatSurvivesTheLossOfANode() throws Exception {
    VirtualCluster cluster = cluster();
    VirtualRun run = new VirtualRun(cluster, NODES);
    assertThat(run.steps(1, 2)).isZero();
    cluster.loseCaches("n2");
    cluster.launch();
    assertThat(run.steps(2, 3)).isOne();                // step 3 is the one across racks this time
    cluster.loseCaches("n3");
    cluster.launch();
    assertThat(run.steps(4, 4)).isEqualTo(2);
    assertThat(cluster.store("n1").list()).as("no more than one of each strength").hasSizeLessThanOrEqualTo(2);
  }

  private VirtualCluster cluster() throws Exception {
    String cache = directory.resolve("cache").toString();
    Path file = Files.write(directory.resolve("scr.conf"), List.of(
        "SCR_CNTL_BASE=" + directory.resolve("cntl"), "SCR_CACHE_BASE=" + cache, "SCR_JOB_ID=1", "SCR_USER_NAME=user",
        "SCR_FLUSH=0", "SCR_COPY_TYPE=FILE", "STORE=" + cache + " COUNT=1",
        "GROUPS=n1 RACK=r1", "GROUPS=n2 RACK=r1", "GROUPS=n3 RACK=r1",
        "CKPT=0 INTERVAL=1 GROUP=NODE STORE=" + cache + " TYPE=XOR",
        "CKPT=1 INTERVAL=2 GROUP=RACK STORE=" + cache + " TYPE=XOR"));
    VirtualCluster cluster = new VirtualCluster(new Random(SEED), Settings.load(Map.of(), Optional.of(file)),
        Files.createDirectories(directory.resolve("prefix")), _ -> LocalFiles.ofThisMachine());
    cluster.start(NODES);
    cluster.launch();
    return cluster;
  }
}
