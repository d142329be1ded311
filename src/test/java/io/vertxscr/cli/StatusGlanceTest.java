package io.vertxscr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.StyledLine;
import io.vertxscr.model.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: one page tells who is there, what is safe and what to do, whatever the cluster. */
class StatusGlanceTest {
  private static final String HOSTILE = "d/\u001b]0;x\u0007\u009b2J\u202e\n";

  private static JsonObject dataset(int id, String state, String... fatal) {
    return new JsonObject().put("dataset", id).put("name", "ckpt." + id).put("prefix", "/p").put("checkpoint", true)
        .put("scheme", "XOR").put("ranks", 8).put("bytes", 1_500_000_000L).put("state", state)
        .put("missing", new JsonArray()).put("lost", "").put("nodes", new JsonArray(List.of("n1", "n2")))
        .put("fatalNodes", new JsonArray(List.of(fatal))).put("flush", "NOT_WANTED")
        .put("protection", switch (state) {
          case "SINGLE" -> "none";
          case "OPEN" -> "pending";
          default -> state.toLowerCase(Locale.ROOT);
        });
  }

  private static JsonObject answer(List<String> nodes, JsonObject... datasets) {
    return new JsonObject().put("node", nodes.getFirst()).put("leader", nodes.getFirst())
        .put("nodes", new JsonArray(nodes))
        .put("waits", new JsonObject().put("for", "the application computes").put("missing", new JsonArray()))
        .put("remarks", new JsonArray()).put("flushes", new JsonArray()).put("gaps", new JsonArray())
        .put("datasets", new JsonArray())
        .put("cluster", new JsonObject().put("spares", new JsonArray())
            .put("run", new JsonObject().put("run", 7).put("jobName", "heat").put("prefix", "/p").put("ranks", 8)
                .put("nodes", new JsonArray(nodes)))
            .put("datasets", new JsonArray(List.of(datasets)))
            .put("stores", new JsonArray().add(store("n1", 30)).add(store("n2", 60)))
            .put("prefixes", new JsonArray().add(
                new JsonObject().put("path", "/p").put("freeBytes", 50).put("wholeBytes", 100))));
  }

  private static JsonObject store(String node, int percent) {
    return new JsonObject().put("node", node).put("base", "/dev/shm").put("freeBytes", 1000 - 10 * percent)
        .put("wholeBytes", 1000).put("usedBytes", 5);
  }

  private static List<String> page(boolean bars, JsonObject... answers) {
    List<StyledLine> lines = StatusGlance.lines(new StatusView(List.of(answers), Set.of()), bars);
    assertThat(lines).hasSizeLessThanOrEqualTo(24).allMatch(line -> line.plain().length() <= 80);
    return lines.stream().map(StyledLine::plain).toList();
  }

  /** The line that begins with this word, without what aligns it. */
  private static String line(List<String> page, String word) {
    return page.stream().filter(line -> line.startsWith(word)).findFirst().orElse("").replaceAll(" +", " ");
  }

  @Test
  void whoIsThereWhatTheRunDoesAndThatAllIsWell() {
    JsonObject answer = answer(List.of("n1", "n2", "n3"), dataset(12, "FULL"), dataset(11, "FULL"));
    answer.getJsonObject("cluster").put("spares", new JsonArray(List.of("n3")));
    List<String> page = page(false, answer);
    assertThat(line(page, "up")).isEqualTo("up 2 nodes: n[1-2]; n1 leads");
    assertThat(line(page, "spare")).isEqualTo("spare 1 node: n3");
    assertThat(line(page, "run")).isEqualTo("run 7 'heat', 8 ranks, prefix /p");
    assertThat(line(page, "phase")).isEqualTo("phase the application computes");
    assertThat(line(page, "restart")).isEqualTo("restart takes 12 'ckpt.12', also if any one node dies now");
    assertThat(line(page, "12")).isEqualTo("12 ckpt.12 1.5 GB full survives -");
    assertThat(line(page, "caches")).contains("fullest: n2 /dev/shm, 60 % used");
    assertThat(line(page, "prefix")).isEqualTo("prefix 50 % used, 50 B free");
    assertThat(page).last().isEqualTo("nothing wants attention");
    assertThat(line(page, "lost")).isEmpty();
  }

  @Test
  void whatALossWouldCostIsToldBeforeItHappens() {
    List<String> page = page(false, answer(List.of("n1", "n2", "n3"), dataset(12, "OPEN"),
        dataset(11, "SINGLE", "n2", "n3"), dataset(10, "FULL").put("flush", "DONE"), dataset(9, "SINGLE", "n1")));
    assertThat(line(page, "restart")).isEqualTo("restart takes 11 'ckpt.11'; if any of 2 nodes dies: 10");
    assertThat(line(page, "12")).endsWith("pending - -");
    assertThat(line(page, "11")).endsWith("none lost: 2/3 -");
    assertThat(line(page, "10")).endsWith("full in prefix done");
    assertThat(line(page, "9")).endsWith("none lost: n1 -");
    assertThat(line(page, "first")).isEqualTo("first dataset 11 'ckpt.11' does not survive the loss of any of 2 nodes");
    assertThat(page).contains("         scr explain --prefix /p 11");
  }

  @Test
  void wherePartOfTheOnlyCheckpointWouldBeGoneThatIsSaid() {
    assertThat(line(page(false, answer(List.of("n1", "n2"), dataset(3, "DEGRADED", "n1", "n2"))), "restart"))
        .isEqualTo("restart takes 3 'ckpt.3'; if any node dies: none in the caches");
    assertThat(line(page(false, answer(List.of("n1", "n2"), dataset(4, "LOST").put("lost", "x").put("flush", "DONE"),
        dataset(3, "FULL"))), "restart")).as("in the prefix directory alone").startsWith("restart takes 4 ")
        .endsWith("also if any one node dies now");
    assertThat(line(page(false, answer(List.of("n1"), dataset(3, "LOST").put("lost", "x"))), "restart"))
        .isEqualTo("restart no checkpoint in the caches");
  }

  @Test
  void theMostUrgentComesFirstWithItsCommand() {
    JsonObject answer = answer(List.of("n1", "n2"), dataset(12, "LOST").put("lost", "dataset 12 \"ckpt.12\" cannot be"
            + " restored from the caches: the files of rank 3 are lost, and two of a set are gone"),
        dataset(11, "DEGRADED").put("missing", new JsonArray(List.of(1, 2, 3))),
        dataset(10, "DEGRADED"));
    answer.getJsonObject("cluster").remove("run");
    answer.put("run", new JsonObject().put("run", 7).put("prefix", "/p").put("ranks", 8).put("finished", false)
        .put("over", "node n4 is lost").put("lostNodes", new JsonArray(List.of("n4"))));
    answer.put("remarks", new JsonArray(List.of("a remark")));
    List<String> page = page(false, answer);
    assertThat(line(page, "lost")).isEqualTo("lost 1 node: n4");
    assertThat(line(page, "restart")).startsWith("restart takes 11");
    assertThat(line(page, "first")).startsWith("first dataset 12 'ckpt.12' is lost: the files of rank 3 are lost,");
    assertThat(page).contains("         scr explain --prefix /p 12", "         scr explain --prefix /p 11",
        "then     node n4 is lost: the run is over, start the ranks again", "then     a remark");
    assertThat(String.join("\n", page)).containsSubsequence("is lost", "is over",
        "11 'ckpt.11' and 1 older are degraded", "a remark");
  }

  @Test
  void progressIsDrawnBelowItsDatasetForEyesOnly() {
    JsonObject answer = answer(List.of("n1"), dataset(12, "FULL").put("flush", "WANTED"),
        dataset(11, "FULL").put("flush", "WANTED"), dataset(10, "FULL").put("flush", "WANTED"));
    answer.put("flushes", new JsonArray("""
        [{"datasetId": 12, "name": "ckpt.12", "state": "copying", "attempt": 1, "remainingMs": 9001,
          "amount": {"doneBytes": 1200000000, "totalBytes": 2400000000, "bytesPerSecond": 120000000}},
         {"datasetId": 11, "name": "ckpt.11", "state": "tried again after 500 ms", "attempt": 2, "cause": "/p is full",
          "amount": {"doneBytes": 0, "totalBytes": 2400000000, "bytesPerSecond": 0}}]"""));
    List<String> page = page(true, answer);
    int row = page.indexOf(page.stream().filter(line -> line.startsWith("12")).findFirst().orElseThrow());
    assertThat(page.get(row)).endsWith("50 %, 10 s left");
    assertThat(page.get(row + 1)).isEqualTo("  [###############...............]  1.2 GB of 2.4 GB, 120.0 MB/s");
    assertThat(line(page, "10")).endsWith("waits");
    assertThat(line(page, "first")).isEqualTo("first flush of dataset 11 fails: /p is full");
    assertThat(page(false, answer)).noneMatch(line -> line.contains("["));
  }

  @Test
  void howFarAHealingIsStandsInItsRow() {
    List<String> page = page(false, answer(List.of("n1", "n2"),
        dataset(12, "DEGRADED").put("protection", "healing 43 %").put("healedPercent", 43)));
    assertThat(line(page, "12")).isEqualTo("12 ckpt.12 1.5 GB healing 43 % survives -");
  }

  @Test
  void nodesThatAreDrainedAreNamedAndWantAttentionWhereTheyCannotBe() {
    JsonObject answer = answer(List.of("n1", "n2", "n3"), dataset(12, "FULL"));
    answer.put("drains", new JsonArray().add(drain("n2", "DRAINING", 43, "")).add(drain("n3", "DRAINED", 100, "")));
    assertThat(line(page(false, answer), "drain")).isEqualTo("drain n2: draining 43 %, n3: drained");
    assertThat(page(false, answer)).contains("nothing wants attention");
    assertThat(StatusPage.lines(List.of(answer))).contains("drain  n2: draining 43 %", "drain  n3: drained");
    answer.put("drains", new JsonArray().add(drain("n2", "STOPPED", 0, "dataset 12: no node has room")));
    assertThat(page(false, answer)).contains("drain    n2: cannot be drained",
        "first    node n2 cannot be drained: dataset 12: no node has room", "         scr drain --cancel n2");
    assertThat(StatusPage.lines(List.of(answer)))
        .contains("drain  n2: cannot be drained; dataset 12: no node has room");
  }

  private static JsonObject drain(String node, String state, int percent, String cause) {
    return new JsonObject().put("node", node).put("state", state).put("percent", percent).put("cause", cause);
  }

  @Test
  void theRoomThatIsLeftIsShownWhateverTheStoreIsCalled() {
    JsonObject answer = answer(List.of("n1"), dataset(12, "FULL"));
    answer.getJsonObject("cluster").getJsonArray("stores").add(store("a-node-with-a-long-name.site", 80)
        .put("base", "/a/cache/of/a/long/name").put("freeBytes", 223_400_000_000L).put("wholeBytes", 999_900_000_000L));
    assertThat(line(page(false, answer), "caches")).startsWith("caches 15 B of datasets; fullest: a-node-w.. ")
        .endsWith(", 78 % used, 223.4 GB free");
  }

  @Test
  void fullPlacesAreNamed() {
    JsonObject answer = answer(List.of("n1", "n2"), dataset(12, "FULL"));
    answer.getJsonObject("cluster").getJsonArray("stores").add(store("n3", 93));
    answer.getJsonObject("cluster").getJsonArray("prefixes").getJsonObject(0).put("freeBytes", 3);
    List<String> page = page(false, answer);
    assertThat(page).contains("first    store /dev/shm of node n3 is 93 % full", "         scr inspect",
        "then     prefix directory /p is 97 % full", "         scr index --list --prefix /p");
  }

  @Test
  void ofAThousandNodesAndAHundredDatasetsTheNewestAreShownAndTheOthersCounted() {
    List<String> nodes = IntStream.rangeClosed(1, 1000).mapToObj(n -> "n%04d".formatted(n)).toList();
    JsonObject[] datasets = IntStream.range(0, 100).mapToObj(n -> dataset(100 - n, n == 50 ? "LOST" : "FULL")
        .put("lost", n == 50 ? "x" : "")).toArray(JsonObject[]::new);
    List<String> page = page(true, answer(nodes, datasets));
    assertThat(line(page, "up")).isEqualTo("up 1000 nodes: n[0001-1000]; n0001 leads");
    assertThat(line(page, "100")).isNotEmpty();
    String rest = line(page, "and");
    assertThat(rest).matches("and \\d+ older: \\d+ full, 1 lost; scr status --all lists them");
    long shown = page.stream().filter(line -> line.matches("\\d+ ckpt.*")).count();
    assertThat(rest).startsWith("and " + (100 - shown) + " older");
    assertThat(line(page, "first")).as("newer ones are there").isEmpty();
  }

  @Test
  void aLostCheckpointIsAnAlarmWhereNoNewerOneOfItsProgramReplacesIt() {
    JsonObject lost = dataset(3, "LOST").put("lost", "x");
    for (JsonObject newer : List.of(dataset(4, "OPEN"), dataset(4, "FULL").put("prefix", "/other"),
        dataset(4, "LOST").put("lost", "y"), dataset(4, "FULL").put("checkpoint", false))) {
      assertThat(String.join("\n", page(false, answer(List.of("n1"), newer, lost)))).as(newer.encode())
          .containsPattern("dataset [34] .* lost: ");
    }
    for (JsonObject newer : List.of(dataset(4, "FULL"), dataset(4, "DEGRADED"), dataset(4, "SINGLE", "n1"),
        dataset(4, "LOST").put("lost", "y").put("flush", "DONE"))) {
      assertThat(String.join("\n", page(false, answer(List.of("n1"), newer, lost)))).as(newer.encode())
          .doesNotContain("3 'ckpt.3' is lost");
    }
  }

  @Test
  void aLongSentenceIsShownToItsEndWhichIsTheRemedy() {
    JsonObject answer = answer(List.of("n1"), dataset(12, "FULL"));
    String cause = "no room in store /dev/shm: " + "word ".repeat(40);
    answer.put("remarks", new JsonArray(List.of(cause + "Use a larger store, or SCR_CACHE_BYPASS=1")));
    List<String> page = page(false, answer);
    int first = page.indexOf("first    no room in store /dev/shm: " + "word ".repeat(9).strip());
    assertThat(first).as(page.toString()).isPositive();
    assertThat(page.get(first + 1)).isEqualTo("         " + "word ".repeat(14).strip());
    assertThat(page).last().asString().endsWith("Use a larger store, or SCR_CACHE_BYPASS=1");
  }

  @Test
  void whatDoesNotFitToItsEndIsCountedAndOnlyTheFirstIsEverCut() {
    JsonObject answer = answer(List.of("n1"), dataset(12, "FULL"));
    answer.put("remarks", new JsonArray(List.of("short", "word ".repeat(300).strip(), "last")));
    assertThat(page(false, answer)).contains("first    short").endsWith("         2 more: scr status --all");
    answer.put("remarks", new JsonArray(List.of("word ".repeat(400).strip(), "second", "last")));
    List<String> page = page(false, answer);
    assertThat(page).hasSize(24).last().isEqualTo("         2 more: scr status --all");
    assertThat(page.get(22)).startsWith("         word word").endsWith("..").hasSize(80);
    assertThat(line(page, "12")).as("datasets keep their place").isNotEmpty();
  }

  @Test
  void datasetsOfSeveralPrefixDirectoriesSayWhose() {
    JsonObject answer = answer(List.of("n1", "n2"), dataset(13, "FULL").put("prefix", "/" + "long/".repeat(20) + "q"),
        dataset(12, "FULL"), dataset(11, "FULL").put("prefix", "/a"));
    List<String> page = page(false, answer);
    assertThat(line(page, "dataset")).startsWith("dataset of size");
    assertThat(line(page, "13")).startsWith("13 ckpt.13 c 1.5 GB");
    assertThat(line(page, "12")).startsWith("12 ckpt.12 a 1.5 GB");
    assertThat(line(page, "11")).startsWith("11 ckpt.11 b 1.5 GB");
    assertThat(line(page, "restart")).as("that of the run").startsWith("restart takes 12 'ckpt.12' of a, also if");
    assertThat(page).contains("prefix   a /p, 50 % used, 50 B free", "         b /a")
        .anyMatch(line -> line.matches(" {9}c \\.\\.[long/]+/long/q"));
    answer.getJsonObject("cluster").getJsonObject("run").put("prefix", "/new");
    assertThat(line(page(false, answer), "restart")).isEqualTo("restart no checkpoint of a in the caches");
    assertThat(String.join("\n", page(false, answer))).contains("a /new\n", "and 1 more; scr status --all lists them");
  }

  @Test
  void daemonsThatSeeOtherClustersAreAnAlarm() {
    assertThat(line(page(false, answer(List.of("n1", "n2")), answer(List.of("n3"))), "first"))
        .startsWith("first the daemons of this host see different clusters");
  }

  @Test
  void aCommandCanBeCopiedAlsoWhereADirectoryHasOddNames() {
    assertThat(StatusAttention.command("scr explain --prefix ", "/a b/it's", " 3"))
        .contains("scr explain --prefix '/a b/it'\\''s' 3");
    assertThat(StatusAttention.command("scr explain --prefix ", HOSTILE, " 3")).contains("scr explain --prefix DIR 3");
    assertThat(StatusAttention.command("scr explain --prefix ", "/p".repeat(50), " 3"))
        .contains("scr explain --prefix DIR 3");
  }

  /** Method: answers with anything in them that a daemon may say, and names of other people. */
  @Test
  void noAnswerMakesThePageLargerOrLetsANameThrough() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("StatusGlanceTest -Dseed=" + seed);
    Random random = new Random(seed);
    String[] states = {"FULL", "SINGLE", "DEGRADED", "LOST", "OPEN"};
    for (int round = 0; round < 300; round++) {
      List<String> nodes = IntStream.rangeClosed(1, 1 + random.nextInt(60))
          .mapToObj(n -> "node-with-a-long-name-" + n * n + ".site").toList();
      List<JsonObject> datasets = new ArrayList<>();
      JsonArray flushes = new JsonArray();
      for (int id = random.nextInt(20); id > 0; id--) {
        datasets.add(dataset(id, states[random.nextInt(states.length)],
            random.nextBoolean() ? new String[0] : nodes.toArray(String[]::new)).put("name", HOSTILE.repeat(3))
            .put("prefix", "/" + HOSTILE).put("lost", HOSTILE));
        if (random.nextBoolean()) {
          flushes.add(new JsonObject().put("datasetId", id).put("name", HOSTILE).put("state", HOSTILE.repeat(4))
              .put("attempt", 1).put("cause", HOSTILE).put("amount", new JsonObject().put("doneBytes", 1)
                  .put("totalBytes", Long.MAX_VALUE).put("bytesPerSecond", Long.MAX_VALUE)));
        }
      }
      JsonObject answer = answer(nodes, datasets.toArray(JsonObject[]::new)).put("flushes", flushes)
          .put("remarks", new JsonArray(List.of(HOSTILE, HOSTILE + "2", "x".repeat(500))));
      answer.getJsonObject("cluster").getJsonObject("run").put("jobName", HOSTILE).put("prefix", "/" + HOSTILE);
      answer.put("run", new JsonObject().put("run", 1).put("prefix", HOSTILE).put("ranks", 1).put("over", HOSTILE)
          .put("lostNodes", new JsonArray(nodes.stream().map(node -> "x" + node).toList())));
      page(random.nextBoolean(), answer).forEach(line ->
          assertThat(line.chars().noneMatch(Names::isControl)).as(line).isTrue());
    }
  }
}
