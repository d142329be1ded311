package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.config.Settings;
import io.vertxscr.model.DrainState;
import io.vertxscr.protocol.app.DrainReply;
import io.vertxscr.protocol.app.DrainRequest;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: no lost or late request to drain a node comes behind the one that takes it back. Method: nodes in virtual time,
 * whose leader hears nothing, or everything twice, for a moment.
 */
class LostDrainTest {
  private static final int[] AT_ONCE = {1};

  @TempDir Path directory;
  /** When the leader hears what is sent now, in ms from now. */
  private int[] arrivals = AT_ONCE;

  @Test
  void aNodeThatIsTakenBackStaysTakenBack() throws IOException {
    VirtualCluster cluster = cluster();
    arrivals = Network.LOST;
    Future<DrainReply> lost = asked(cluster, DrainRequest.begin("n3", false));
    cluster.pass(Duration.ofSeconds(1));
    arrivals = AT_ONCE;
    Future<DrainReply> back = asked(cluster, DrainRequest.cancel("n3"));
    assertThat(cluster.answer(back).is(DrainState.NONE)).isTrue();
    assertThat(cluster.await(lost).cause()).isNull();
    requireNotDrained(cluster);
  }

  @Test
  void aLateCopyOfARequestDoesNotDrainANodeThatIsTakenBack() throws IOException {
    VirtualCluster cluster = cluster();
    arrivals = new int[] {1, 12_000};
    Future<DrainReply> twice = asked(cluster, DrainRequest.begin("n3", false));
    cluster.pass(Duration.ofMillis(1));
    arrivals = AT_ONCE;
    assertThat(cluster.answer(twice).is(DrainState.DRAINING)).isTrue();
    assertThat(cluster.answer(asked(cluster, DrainRequest.cancel("n3"))).is(DrainState.NONE)).isTrue();
    requireNotDrained(cluster);
  }

  @Test
  void aLateCopyOfACancellationLeavesTheNextDrain() throws IOException {
    VirtualCluster cluster = cluster();
    arrivals = new int[] {1, 12_000};
    Future<DrainReply> twice = asked(cluster, DrainRequest.cancel("n3"));
    cluster.pass(Duration.ofMillis(1));
    arrivals = AT_ONCE;
    assertThat(cluster.answer(twice).is(DrainState.NONE)).isTrue();
    assertThat(cluster.answer(asked(cluster, DrainRequest.begin("n3", false))).is(DrainState.DRAINING)).isTrue();
    cluster.pass(Duration.ofMinutes(1));
    assertThat(cluster.answer(asked(cluster, DrainRequest.look("n3"))).is(DrainState.DRAINED)).isTrue();
  }

  private VirtualCluster cluster() throws IOException {
    Random random = new Random(Long.getLong("seed", 1));
    Path prefix = Files.createDirectories(directory.resolve("prefix"));
    VirtualCluster cluster = new VirtualCluster(random, new VirtualTime(random), Settings.load(
        Map.of("SCR_CNTL_BASE", directory.resolve("cntl").toString(), "SCR_CACHE_BASE",
            directory.resolve("cache").toString(), "SCR_JOB_ID", "1", "SCR_JOB_NAME", "test", "SCR_USER_NAME", "user",
            "SCR_CLUSTER_NAME", "cluster"), Optional.empty()), prefix, _ -> LocalFiles.ofThisMachine(), true,
        (_, to) -> to.equals("n1") ? arrivals : AT_ONCE);
    cluster.start("n1", "n2", "n3");
    cluster.pass(Duration.ofSeconds(1));
    return cluster;
  }

  private static void requireNotDrained(VirtualCluster cluster) {
    cluster.pass(Duration.ofMinutes(1));
    assertThat(cluster.answer(asked(cluster, DrainRequest.look("n3"))).is(DrainState.NONE)).isTrue();
  }

  private static Future<DrainReply> asked(VirtualCluster cluster, DrainRequest what) {
    return cluster.loop("n3").call(() -> cluster.services("n3").drains().ask(what));
  }
}
