package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.protocol.app.EventCursor;
import io.vertxscr.protocol.app.EventsRequest;
import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: any daemon tells what has happened on all nodes, each event once, also without the leader. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class EventsOfAllNodesTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};

  @TempDir
  Path directory;
  private final SortedMap<String, Long> read = new TreeMap<>();
  private VirtualCluster cluster;

  private void start() throws Exception {
    cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"),
        Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0", "SCR_CACHE_SIZE", "1"));
    cluster.start(NODES);
  }

  private List<JsonObject> ask(String node, boolean anew) {
    ScrClient client = cluster.client(node);
    List<EventCursor> after = read.entrySet().stream().map(one -> new EventCursor(one.getKey(), one.getValue()))
        .toList();
    try {
      JsonObject answer = new JsonObject(cluster.await(Future.fromCompletionStage(client.events(
          new EventsRequest(anew ? Optional.empty() : Optional.of(after), 1000)))).result());
      answer.getJsonArray("after").forEach(one ->
          read.put(((JsonObject) one).getString("node"), ((JsonObject) one).getLong("number")));
      return answer.getJsonArray("events").stream().map(JsonObject.class::cast).toList();
    } finally {
      client.close();
    }
  }

  private static List<String> inShort(List<JsonObject> events, String... types) {
    return events.stream().filter(event -> List.of(types).contains(event.getString("type")))
        .map(event -> event.getString("type") + " " + event.getInteger("dataset")).toList();
  }

  @Test
  void aRunIsToldOnceByWhicheverDaemonIsAsked() throws Exception {
    start();
    ask("n3", true);
    new VirtualRun(cluster, NODES).steps(1, 2);
    cluster.pass(Duration.ofSeconds(5));
    List<JsonObject> first = ask("n4", false);
    String[] types = {"run-begun", "phase-started", "dataset-complete", "flush-done", "run-over"};
    assertThat(inShort(first, types)).containsExactly("run-begun 0", "phase-started 1", "dataset-complete 1",
        "flush-done 1", "phase-started 2", "dataset-complete 2", "flush-done 2", "run-over 0");
    assertThat(first.stream().filter(event -> event.getString("type").equals("evicted"))
        .map(event -> event.getString("node"))).containsExactlyInAnyOrder(NODES);
    assertThat(first).isSortedAccordingTo((a, b) -> Long.compare(a.getLong("timeMs"), b.getLong("timeMs")));
    assertThat(ask("n2", false)).isEmpty();
    assertThat(inShort(ask("n1", true), types)).isEqualTo(inShort(first, types));
  }

  @Test
  void theLossOfTheLeaderAndWhatTheNextOneSaysAreTold() throws Exception {
    start();
    ask("n3", true);
    cluster.kill("n1");
    cluster.pass(Duration.ofMinutes(1));
    assertThat(ask("n4", false).stream().map(event -> event.getString("type") + " " + event.getString("about")))
        .contains("node-left n1");
    new VirtualRun(cluster, "n2", "n3", "n4").steps(1, 1);
    assertThat(inShort(ask("n4", false), "dataset-complete", "flush-done"))
        .containsExactly("dataset-complete 1", "flush-done 1");
  }
}
