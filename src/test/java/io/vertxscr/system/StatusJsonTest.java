package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.JsonPage;
import io.vertxscr.cli.text.JsonVersion;
import io.vertxscr.client.ScrClient;
import io.vertxscr.model.DrainState;
import io.vertxscr.protocol.Wire;
import io.vertxscr.protocol.app.DrainReply;
import io.vertxscr.protocol.node.flush.FlushAmount;
import io.vertxscr.protocol.node.flush.FlushView;
import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: what daemons say to scr status --json has the fields of docs/json.md, and no others. In virtual time. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class StatusJsonTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};

  @TempDir
  Path directory;
  private VirtualCluster cluster;

  private Map<String, Object> status(String node) {
    ScrClient client = cluster.client(node);
    try {
      JsonObject answer = new JsonObject(cluster.await(Future.fromCompletionStage(client.status())).result());
      // A flush in progress would have ended by now: its record, as the leader sends it.
      FlushView flush = new FlushView(1, "a", "copying", 2, new FlushAmount(1, 2, 3), OptionalLong.of(4),
          Optional.of("/p is full"));
      answer.put("flushes", new JsonArray().add(Wire.write(flush)));
      answer.put("drains", new JsonArray().add(Wire.write(
          new DrainReply("n5", DrainState.STOPPED, 43, "nodes are away").withLost(List.of(4)))));
      return new JsonObject(JsonVersion.of(answer).encode()).getMap();
    } finally {
      client.close();
    }
  }

  @Test
  void duringARunAndAfterItsEndByALoss() throws Exception {
    cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"),
        Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "XOR"));
    cluster.start(NODES);
    cluster.start("n5");
    JsonPage page = new JsonPage("scr status");
    Set<String> seen = new TreeSet<>();
    VirtualRun run = new VirtualRun(cluster, NODES);
    List<Integer> ready = new ArrayList<>();
    Promise<Void> never = Promise.promise();
    run.start(session -> run.checkpoints(session, 1, 1).compose(_ -> {
      ready.add(session.rank());
      return session.rank() == 0 ? run.checkpoint(session, 2) : never.future();
    }));
    cluster.awaits("a checkpoint of all", () -> ready.size() == NODES.length);
    cluster.pass(Duration.ofSeconds(1));
    for (String node : NODES) {
      seen.addAll(page.check(status(node)));
    }
    seen.addAll(page.check(status("n5")));
    cluster.kill("n2");
    cluster.pass(Duration.ofMinutes(1));
    seen.addAll(page.check(status("n1")));
    seen.addAll(page.check(status("n3")));
    Set<String> unseen = page.all();
    unseen.removeAll(seen);
    assertThat(unseen).as("on the page, in no answer: these are there only where something else is wrong")
        .isSubsetOf("remarks[]", "run.warnings[]", "run.missingHere[]", "waits.missing[]",
            "cluster.datasets[].fatalNodes[]", "datasets[].scrub.damaged[]", "datasets[].scrub.lookedAtMs",
            "cluster.datasets[].healedPercent", "cluster.datasets[].notHealed");
  }
}
