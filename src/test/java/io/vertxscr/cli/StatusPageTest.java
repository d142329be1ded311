package io.vertxscr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
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
  void whatOnlyNodesThatAreGoneHadIsNotCalledProtected() {
    String datasets = """
        {"dataset": 12, "name": "a", "scheme": "XOR", "bytesHere": 1, "ranksHere": [0], "protection": "protected",
         "flush": "NOT_WANTED"},
        {"dataset": 13, "name": "b", "scheme": "XOR", "bytesHere": 1, "ranksHere": [0], "protection": "protected",
         "flush": "NOT_WANTED"}""";
    JsonObject answer = answer("n2", datasets).put("gaps", new JsonArray("""
        [{"dataset": 12, "name": "a", "missing": [1, 2, 3], "lost": "two of a set are gone"},
         {"dataset": 13, "name": "b", "missing": [1], "lost": ""}]"""));

    assertThat(String.join("\n", StatusPage.lines(List.of(answer)))).contains(
        "note   dataset 12 'a': the files of rank 1-3 are on no node; the nodes here cannot rebuild them: two of a set",
        "note   dataset 13 'b': the files of rank 1 are on no node; a restart rebuilds them").containsPattern(
        "(?m)^12 .* XOR +LOST +not wanted$").containsPattern("(?m)^13 .* XOR +DEGRADED +not wanted$");
  }

  @Test
  void nodesThatTheRunHasLostAndThoseThatLeftADeadSocketHaveARow() {
    JsonObject answer = answer("n2", "");
    assertThat(StatusPage.lines(List.of(answer), Set.of("n1"), false)).noneMatch(line -> line.startsWith("lost"));
    answer.getJsonObject("run").put("lostNodes", new JsonArray(List.of("n4")));
    assertThat(StatusPage.lines(List.of(answer), Set.of("n3", "n4"), false))
        .startsWith("nodes  n1 (leader), n2", "lost   n3, n4");
  }

  @Test
  void aRunThatIsOverIsToldOnceAsItsLeaderTellsIt() {
    JsonObject first = answer("n2", "");
    first.getJsonObject("run").put("over", "rank 3 on node n2 is lost");
    JsonObject leader = answer("n1", "");
    leader.getJsonObject("run").put("over", "rank 0 on node n1 is lost");

    for (List<JsonObject> answers : List.of(List.of(first, leader), List.of(leader, first))) {
      assertThat(StatusPage.lines(answers)).filteredOn(line -> line.startsWith("run"))
          .containsExactly("run    7, 6 ranks, prefix /p; over: rank 0 on node n1 is lost");
    }
    assertThat(StatusPage.lines(List.of(first)))
        .contains("run    7, 6 ranks, prefix /p; over: rank 3 on node n2 is lost");
  }

  @Test
  void progressOfEveryFlushWithABarForEyesOnly() {
    JsonObject answer = answer("n1", "").put("flushes", new JsonArray("""
        [{"datasetId": 12, "name": "step-12", "state": "copying", "attempt": 1, "remainingMs": 9001,
          "amount": {"doneBytes": 1200000000, "totalBytes": 2300000000, "bytesPerSecond": 120000000}},
         {"datasetId": 13, "name": "step-13", "state": "tried again after 500 ms", "attempt": 2,
          "amount": {"doneBytes": 0, "totalBytes": 2300000000, "bytesPerSecond": 0}, "cause": "/p is full"},
         {"datasetId": 14, "name": "", "state": "listing", "attempt": 1,
          "amount": {"doneBytes": 0, "totalBytes": 0, "bytesPerSecond": 0}}]"""));

    assertThat(StatusPage.lines(List.of(answer), Set.of(), true)).contains(
        "flush  dataset 12 step-12  [###############...............]  52 %, 1.2 GB of 2.3 GB, 120.0 MB/s, 10 s left",
        "flush  dataset 13 step-13  [..............................]   0 %, 0 B of 2.3 GB; tried again after 500 ms;"
            + " attempt 2, the last one failed: /p is full",
        "flush  dataset 14  [##############################] 100 %, 0 B of 0 B; listing");
    assertThat(StatusPage.lines(List.of(answer))).contains(
        "flush  dataset 12 step-12   52 %, 1.2 GB of 2.3 GB, 120.0 MB/s, 10 s left");
  }

  @Test
  void whereDatasetsAreOfSeveralPrefixDirectoriesTheyAreShown() {
    String one = """
        {"dataset": 12, "name": "a", "prefix": "/p", "scheme": "XOR", "bytesHere": 1, "ranksHere": [0],
         "protection": "protected", "flush": "DONE"}""";
    assertThat(String.join("\n", StatusPage.lines(List.of(answer("n1", one), answer("n2", one)))))
        .doesNotContain("flush  prefix");
    assertThat(String.join("\n", StatusPage.lines(List.of(answer("n1", one), answer("n2", one.replace("/p", "/q"))))))
        .contains("flush  prefix").contains("done   /p\n").endsWith("done   /q");
  }

  @Test
  void cachesWithoutDatasetsAreNamed() {
    assertThat(StatusPage.lines(List.of(answer("n1", ""), answer("n2", "")))).last()
        .isEqualTo("no datasets in the caches of n1, n2");
  }
}
