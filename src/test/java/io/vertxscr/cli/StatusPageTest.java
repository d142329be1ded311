package io.vertxscr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: an operator reads at a glance who is there, who waits for whom, and what is safe. */
class StatusPageTest {
  private static JsonObject answer(String node, String datasets) {
    return new JsonObject("""
        {"node": "%s", "leader": "n1", "nodes": ["n1", "n2"],
         "waits": {"for": "start-output: 1 of 2 nodes", "missing": ["n2"]},
         "run": {"run": 7, "prefix": "/p", "ranks": 6, "ranksHere": [3, 4, 5], "missingHere": [3, 5]},
         "datasets": [%s]}""".formatted(node, datasets));
  }

  @Test
  void theClusterTheRunWhoIsMissingAndEveryDataset() {
    String dataset = """
        {"dataset": 12, "name": "step-12", "scheme": "XOR", "bytesHere": 1500000, "ranksHere": [0, 1, 2, 4],
         "protection": "protected", "flush": "NOT_WANTED"}""";

    assertThat(String.join("\n", StatusPage.lines(List.of(answer("n2", dataset))))).isEqualTo("""
        nodes  n1 (leader), n2
        run    7, 6 ranks, prefix /p
        state  start-output: 1 of 2 nodes; missing: n2
               on n2 missing: ranks 3, 5

        dataset  name     node  ranks   size    scheme  protection  flush
        12       step-12  n2    0-2, 4  1.5 MB  XOR     protected   not wanted""");
  }

  @Test
  void cachesWithoutDatasetsAreNamed() {
    assertThat(StatusPage.lines(List.of(answer("n1", ""), answer("n2", "")))).last()
        .isEqualTo("no datasets in the caches of n1, n2");
  }
}
