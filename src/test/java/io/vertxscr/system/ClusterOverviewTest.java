package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: any daemon tells how safe each dataset is over all nodes, before and after losses. In virtual time. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class ClusterOverviewTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};

  @TempDir
  Path directory;

  private VirtualCluster cluster(Map<String, String> parameters) throws Exception {
    VirtualCluster cluster =
        VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"), parameters);
    cluster.start(NODES);
    cluster.start("n5");
    return cluster;
  }

  private static JsonObject overview(VirtualCluster cluster, String node) {
    ScrClient client = cluster.client(node);
    try {
      return new JsonObject(cluster.await(Future.fromCompletionStage(client.status())).result())
          .getJsonObject("cluster");
    } finally {
      client.close();
    }
  }

  private static List<String> standings(JsonObject overview) {
    return overview.getJsonArray("datasets").stream().map(JsonObject.class::cast).map(dataset ->
        dataset.getInteger("dataset") + " " + dataset.getString("state") + " " + dataset.getJsonArray("fatalNodes")
            + " " + dataset.getString("flush")).toList();
  }

  @Test
  void duringARunItsSparesItsNewestDatasetAndTheSpaceAreTold() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_FLUSH", "0", "SCR_CACHE_SIZE", "2"));
    VirtualRun run = new VirtualRun(cluster, NODES);
    List<Integer> ready = new ArrayList<>();
    Promise<Void> goOn = Promise.promise();
    List<Future<Void>> ranks = run.start(session -> run.checkpoints(session, 1, 2).compose(_ -> {
      ready.add(session.rank());
      return session.rank() == 0 ? Future.succeededFuture() : goOn.future();
    }).compose(_ -> run.checkpoint(session, 3)).compose(_ -> session.finish()));
    cluster.awaits("a checkpoint of all", () -> ready.size() == NODES.length);
    for (String asked : List.of("n1", "n5")) {
      JsonObject seen = overview(cluster, asked);
      assertThat(seen.getJsonArray("spares")).isEqualTo(new JsonArray(List.of("n5")));
      assertThat(seen.getJsonObject("run").getInteger("ranks")).isEqualTo(4);
      assertThat(seen.getJsonObject("run").getString("prefix")).isEqualTo(cluster.prefix().toString());
      assertThat(standings(seen)).containsExactly("2 FULL [] NOT_WANTED", "1 FULL [] NOT_WANTED");
      assertThat(seen.getJsonArray("stores")).hasSize(5).allSatisfy(store -> {
        assertThat(((JsonObject) store).getLong("freeBytes")).isPositive();
        assertThat(((JsonObject) store).getLong("wholeBytes")).isGreaterThanOrEqualTo(
            ((JsonObject) store).getLong("freeBytes"));
      });
      assertThat(seen.getJsonArray("stores").getJsonObject(0).getLong("usedBytes")).isPositive();
      assertThat(seen.getJsonArray("prefixes").getJsonObject(0).getString("path"))
          .isEqualTo(cluster.prefix().toString());
    }
    goOn.complete();
    ranks.forEach(cluster::await);
    JsonObject after = overview(cluster, "n5");
    assertThat(after.containsKey("run")).isFalse();
    assertThat(after.getJsonArray("spares")).isEmpty();
  }

  @Test
  void afterALossTheNodesThatAreNeededAreNamedAndAfterTheNextTheDatasetIsLost() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_FLUSH", "0", "SCR_CACHE_SIZE", "2"));
    new VirtualRun(cluster, NODES).steps(1, 1);
    assertThat(standings(overview(cluster, "n5"))).containsExactly("1 FULL [] NOT_WANTED");
    cluster.kill("n2");
    cluster.pass(Duration.ofSeconds(30));
    JsonObject degraded = overview(cluster, "n5").getJsonArray("datasets").getJsonObject(0);
    assertThat(degraded.getString("state")).isEqualTo("DEGRADED");
    assertThat(degraded.getJsonArray("missing")).isEqualTo(new JsonArray(List.of(1)));
    assertThat(degraded.getJsonArray("fatalNodes")).isEqualTo(new JsonArray(List.of("n1", "n3", "n4")));
    cluster.kill("n3");
    cluster.pass(Duration.ofSeconds(30));
    JsonObject lost = overview(cluster, "n5").getJsonArray("datasets").getJsonObject(0);
    assertThat(lost.getString("state")).isEqualTo("LOST");
    assertThat(lost.getString("lost")).contains("rank 1");
  }

  @Test
  void whereFilesHaveNoRedundancyEachNodeIsNeededUntilTheyAreFlushed() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_COPY_TYPE", "SINGLE", "SCR_FLUSH", "2", "SCR_CACHE_SIZE", "3"));
    new VirtualRun(cluster, NODES).steps(1, 2);
    assertThat(standings(overview(cluster, "n1"))).containsExactly(
        "2 SINGLE [\"n1\",\"n2\",\"n3\",\"n4\"] DONE", "1 SINGLE [\"n1\",\"n2\",\"n3\",\"n4\"] NOT_WANTED");
  }

  @Test
  void aNodeWhoseStorageHangsDoesNotHoldUpTheAnswer() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_FLUSH", "0"));
    cluster.hangStorage("n3", true);
    Instant begun = cluster.now();
    assertThat(overview(cluster, "n1").getJsonArray("stores").stream()
        .map(store -> ((JsonObject) store).getString("node"))).containsExactlyInAnyOrder("n1", "n2", "n4", "n5");
    assertThat(Duration.between(begun, cluster.now())).isLessThan(Duration.ofSeconds(10));
    cluster.hangStorage("n3", false);
  }
}
