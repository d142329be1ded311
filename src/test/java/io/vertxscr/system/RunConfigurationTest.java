package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.client.ScrOptions;
import io.vertxscr.config.WithoutEffect;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Job;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.Verb;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: user settings hold for the run on all its nodes, and errors are reported to all ranks. */
class RunConfigurationTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};
  private Path prefix;

  @BeforeEach
  void makePrefix() throws IOException {
    prefix = Files.createDirectories(directory.resolve("prefix"));
  }

  @Test
  void eachCheckpointIsProtectedAsTheDescriptorOfItsNumberSays() throws Exception {
    userFile("SCR_COPY_TYPE=FILE", "SCR_CACHE_SIZE=8", "CKPT=0 TYPE=XOR SET_SIZE=4",
        "CKPT=1 INTERVAL=2 TYPE=PARTNER SET_SIZE=2", "CKPT=2 INTERVAL=4 TYPE=SINGLE");
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), NODES)) {
      cluster.steps(1, 4, NODES);

      assertThat(List.of(1, 2, 3, 4)).extracting(id -> cluster.record("n3", id).scheme())
          .containsExactly(Scheme.XOR, Scheme.PARTNER, Scheme.XOR, Scheme.SINGLE);
      assertThat(List.of(1, 2, 3)).extracting(id -> setsOf(cluster, id).size()).containsExactly(1, 2, 1);
    }
  }

  @Test
  void noRedundancySetHasTwoNodesOfOneFailureGroup() throws Exception {
    userFile("SCR_GROUP=POWER", "GROUPS=n1 POWER=a", "GROUPS=n2 POWER=a", "GROUPS=n3 POWER=b", "GROUPS=n4 POWER=b",
        "GROUPS=elsewhere POWER=c");
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), NODES)) {
      cluster.steps(1, 1, NODES);
      assertThat(setsOf(cluster, 1)).extracting(RedundancySet::ranks).containsExactlyInAnyOrder(
          List.of(0, 2), List.of(1, 3));

      cluster.lose("n3");
      cluster.lose("n4");                                 // one power supply
      cluster.nodes().start("n5");
      cluster.nodes().start("n6");
      userFile("SCR_GROUP=NODE");
      assertThat(cluster.restart("n1", "n2", "n5", "n6")).isEqualTo(1);
    }
  }

  @Test
  void aLaterRunRebuildsInTheOldSetsUnderAnyConfiguration() throws Exception {
    userFile("SCR_COPY_TYPE=PARTNER", "SCR_SET_SIZE=2", "SCR_GROUP=POWER",
        "GROUPS=n1 POWER=a", "GROUPS=n2 POWER=a", "GROUPS=n3 POWER=b", "GROUPS=n4 POWER=b");
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), NODES)) {
      cluster.steps(1, 1, NODES);
      Set<RedundancySet> before = setsOf(cluster, 1);
      RedundancyDescriptor written = cluster.record("n1", 1).redundancy();
      assertThat(written).isEqualTo(new RedundancyDescriptor(new CheckpointDescriptor(0, true, 1, "POWER",
          directory.resolve("cache").toString(), Redundancy.of(Scheme.PARTNER, 2), false), 2));

      cluster.lose("n4");
      cluster.nodes().start("n4");
      userFile("SCR_COPY_TYPE=SINGLE",
          "GROUPS=n1 POWER=a", "GROUPS=n2 POWER=a", "GROUPS=n3 POWER=b", "GROUPS=n4 POWER=b");
      assertThat(cluster.restart(NODES)).isEqualTo(1);
      cluster.awaitProtected(NODES);

      assertThat(setsOf(cluster, 1)).isEqualTo(before);
      assertThat(cluster.record("n4", 1).redundancy()).isEqualTo(written);
      cluster.steps(2, 2, NODES);
      assertThat(cluster.record("n4", 2).scheme()).isEqualTo(Scheme.SINGLE);
    }
  }

  @Test
  void theEnvironmentOfRankZeroWinsOverWhatItConfiguresItself() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), NODES)) {
      write(cluster, options -> with(options, Map.of("SCR_COPY_TYPE", "PARTNER")).config("SCR_COPY_TYPE=SINGLE"));
      assertThat(cluster.record("n1", 1).scheme()).isEqualTo(Scheme.PARTNER);

      write(cluster, options -> options.config("SCR_COPY_TYPE=PARTNER").config("SCR_COPY_TYPE=SINGLE"));
      assertThat(cluster.record("n1", 2).scheme()).isEqualTo(Scheme.SINGLE);

      write(cluster, UnaryOperator.identity());
      assertThat(cluster.record("n1", 3).scheme()).isEqualTo(Scheme.XOR);
    }
  }

  @Test
  void flushesFollowTheRunAndNotTheDaemon() throws Exception {
    userFile("SCR_FLUSH=1 SCR_FLUSH_ASYNC=0");
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), NODES)) {
      cluster.all(scr -> {
        RankProgram.checkpoint(scr, prefix, 1, 3);
        assertThat(prefix.resolve(".scr/scr.dataset.1/summary.scr")).exists();
        scr.finish();
        return null;
      }, NODES);
    }
  }

  @Test
  void whatIsWrongFailsInitOfAllRanksAndTheNextRunBegins() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), NODES)) {
      userFile("SCR_FLUSH=1", "SCR_FLSH=2");
      refused(cluster, prefix.resolve(".scrconf") + " line 2: unknown parameter SCR_FLSH; did you mean SCR_FLUSH?");
      userFile("SCR_GROUP=POWER", "GROUPS=n1 POWER=a");
      refused(cluster, "node n2 has no value of group POWER: add a line GROUPS=n2 POWER=...");
      userFile("");
      assertThat(cluster.steps(1, 1, NODES)).isZero();
    }
  }

  /** Bar: nothing in a file written for SCR fails a run. Settings without effect are a line, the rest counts. */
  @Test
  void aFileWithEveryParameterOfTheManualLoadsAndTheRunFollowsIt() throws Exception {
    Path file = Path.of("src/test/resources/every-parameter.conf");
    Map<String, String> environment =
        Map.of("SCR_CONF_FILE", file.toAbsolutePath().toString(), "SCR_TESTROOT", directory.toString());
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), NODES)) {
      cluster.steps(1, 1, NODES);
      List<String> remarks = EmbeddedRun.all(new EmbeddedRun(
          cluster.nodes(), prefix, List.of(NODES), options -> with(options, environment)).start(scr -> {
            assertThat(RankProgram.restart(scr, 3)).isEqualTo(1);
            RankProgram.checkpoint(scr, prefix, 2, 3);
            scr.finish();
            return scr.remarks();
          })).getFirst();

      assertThat(cluster.datasetDirectory("n3", 2).startsWith(directory.resolve("ssd"))).isTrue();
      List<String> names = Files.readAllLines(file).stream().filter(line -> line.matches("[A-Z].*"))
          .map(line -> line.replaceFirst("[ =].*", "")).toList();
      for (WithoutEffect one : WithoutEffect.values()) {
        assertThat(remarks).filteredOn(remark -> remark.contains(": " + one + " has no effect here: "))
            .hasSize(Collections.frequency(names, one.name()));
      }
      for (String said : List.of("SCR_CNTL_BASE=", "SCR_PREFIX=", "SCR_FILE_BUF_SIZE=8388608", "SCR_CRC_ON_COPY=0",
          "SCR_CRC_ON_FLUSH=0", "FLUSH", "TYPE", "VIEW", "INTERVAL=6 counts")) {
        assertThat(remarks).anyMatch(remark -> remark.contains(": " + said) || remark.startsWith(said));
      }
      assertThat(remarks)
          .noneMatch(remark -> remark.contains("no such")).noneMatch(remark -> remark.contains("sesame"));
    }
  }

  @Test
  void aUsersStoreHoldsOnAllNodesAndALaterRunFindsWhatIsInItWithoutNamingIt() throws Exception {
    Path mine = directory.resolve("mine");
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), NODES)) {
      write(cluster, options -> options.config("SCR_CACHE_BASE=" + mine).config("STORE=" + mine + " COUNT=2"));
      for (String node : NODES) {
        assertThat(cluster.datasetDirectory(node, 1).startsWith(mine)).isTrue();
      }
      cluster.lose("n4");
      cluster.nodes().start("n4");
      assertThat(cluster.restart(NODES)).isEqualTo(1);

      write(cluster, UnaryOperator.identity());
      assertThat(cluster.datasetDirectory("n4", 2).startsWith(directory.resolve("cache"))).isTrue();
    }
  }

  @Test
  void aStoreThatANodeCannotUseFailsInitWithNodeAndDirectoryAndTheNextRunBegins() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "x");
    userFile("SCR_CACHE_BASE=" + file.resolve("cache"));
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), NODES)) {
      refused(cluster, "node n1: store " + file.resolve("cache") + " cannot be used: " + file + " is not a directory");
      userFile("STORE=" + directory.resolve("none") + " MKDIR=0", "SCR_CACHE_BASE=" + directory.resolve("none"));
      refused(cluster, "node n1: store " + directory.resolve("none") + " cannot be used: it is not there, and with"
          + " MKDIR=0 it is not made");
      userFile("");
      assertThat(cluster.steps(1, 1, NODES)).isZero();
    }
  }

  /** Measured times differ; what is said of which operation, to whom and in which answer does not. */
  @Test
  void withDebugRankZeroHearsOfEachOperationWithItsTimeBytesAndBandwidth() throws Exception {
    String measured = "[0-9]+\\.[0-9]{3} s, 0\\.002 MB, [0-9]+\\.[0-9]{3} MB/s";
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR)
        .flushing(1, false), "n1", "n2")) {
      for (String debug : List.of("SCR_DEBUG=1", "SCR_DEBUG=1", "SCR_DEBUG=0")) {
        List<JsonArray> told = operations(debug);
        if (debug.endsWith("0")) {
          assertThat(told).containsOnlyNulls();
        } else if (told.get(1) == null) {
          assertThat(told.get(0)).isNull();
          assertThat(told.get(3).getString(0)).matches("checkpoint a \\(dataset 1\\): [0-9.]+ s, 2 files, 0\\.002 MB,"
              + " [0-9.]+ MB/s, protected in [0-9.]+ s, [0-9.]+ MB/s");
          assertThat(told.get(3).getString(1)).matches("flush of dataset 1: " + measured);
        } else {
          assertThat(told.get(0).getString(0)).matches("rebuild of dataset 1: " + measured
              + "; ranks: 2 kept, 0 moved, 0 rebuilt, 0 fetched");
          assertThat(told.get(1).getString(0)).matches("restart from dataset 1: " + measured);
        }
      }
    }
  }

  /** Returns rank 0's messages of init, complete and start calls and finalize; rank 1 has none. */
  private List<JsonArray> operations(String debug) throws Exception {
    List<JsonArray> told = new ArrayList<>();
    try (RawRank zero = new RawRank(vertx, "n1", 0); RawRank one = new RawRank(vertx, "n2", 1)) {
      Halts.remove(prefix);
      List<Future<JsonObject>> init = List.of(
          zero.init(RawRank.initBody(0, 2, prefix.toString(), "t").put("config", new JsonArray().add(debug))),
          one.init(RawRank.initBody(1, 2, prefix.toString(), "t")));
      note(told, init);
      boolean restarts = note(new ArrayList<>(), List.of(zero.call(Verb.HAVE_RESTART), one.call(Verb.HAVE_RESTART)))
          .getBoolean("available");
      if (restarts) {
        note(new ArrayList<>(), List.of(zero.call(Verb.START_RESTART), one.call(Verb.START_RESTART)));
        note(told, List.of(zero.call(Verb.COMPLETE_RESTART), one.call(Verb.COMPLETE_RESTART)));
      } else {
        told.add(null);
      }
      JsonObject name = new JsonObject().put("name", restarts ? "b" + debug.length() : "a");
      note(told, List.of(zero.call(Verb.START_OUTPUT, name), one.call(Verb.START_OUTPUT, name)));
      for (RawRank rank : List.of(zero, one)) {
        Path file = Path.of(RawRank.ok(rank.route(name.getString("name") + (rank == zero ? 0 : 1), prefix))
            .getString("file"));
        Files.write(file, new byte[1024]);
      }
      note(told, List.of(zero.call(Verb.COMPLETE_OUTPUT), one.call(Verb.COMPLETE_OUTPUT)));
      if (restarts) {
        JsonObject newest = new JsonObject().put("name", name.getString("name"));
        note(new ArrayList<>(), List.of(zero.call(Verb.DELETE, newest), one.call(Verb.DELETE, newest)));
      }
      note(told, List.of(zero.call(Verb.FINALIZE), one.call(Verb.FINALIZE)));
    }
    return told;
  }

  private static JsonObject note(List<JsonArray> told, List<Future<JsonObject>> answers) throws Exception {
    JsonObject zero = RawRank.ok(answers.getFirst());
    assertThat(RawRank.ok(answers.getLast()).containsKey("remarks")).isFalse();
    told.add(zero.getJsonArray("remarks"));
    return zero;
  }

  @Test
  void descriptorsNameUserJobAndClusterTheJobByTheApplicationFirst() throws Exception {
    userFile("SCR_JOB_NAME=heat");
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.SINGLE), "n1")) {
      for (String given : List.of("", "mine")) {
        try (RawRank rank = new RawRank(vertx, "n1", 0)) {
          RawRank.ok(rank.init(RawRank.initBody(0, 1, prefix.toString(), given)));
          int dataset = RawRank.ok(rank.call(Verb.START_OUTPUT)).getInteger("dataset");
          RawRank.ok(rank.call(Verb.COMPLETE_OUTPUT));
          RawRank.ok(rank.call(Verb.FINALIZE));
          assertThat(cluster.record("n1", dataset).descriptor().job())
              .isEqualTo(new Job("user", given.isEmpty() ? "heat" : given, "1", "cluster"));
        }
      }
    }
  }

  @Test
  void aValueCanBeAskedForBeforeTheRun() throws Exception {
    userFile("SCR_FLUSH=7");
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), "n1")) {
      ScrClient client = cluster.nodes().client("n1");
      ScrOptions options = new ScrOptions(Path.of("unused"), 0, 1, prefix, "test").config("CKPT=0 TYPE=PARTNER");

      assertThat(client.config(options, "SCR_FLUSH").get(60, TimeUnit.SECONDS)).contains("7");
      assertThat(client.config(options, "CKPT=0 TYPE").get(60, TimeUnit.SECONDS)).contains("PARTNER");
      assertThat(client.config(options, "SCR_GROUP").get(60, TimeUnit.SECONDS)).isEmpty();
      client.close();
    }
  }

  /** Elsewhere every scheme silently becomes SINGLE where all ranks are on one host. */
  @Test
  void aSchemeThatCannotProtectSaysSoInEventAndStatus() throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    vertx.eventBus().<JsonObject>consumer(Addresses.EVENTS, event -> {
      if (event.body().getString("type").equals("protection-weak")) {
        told.add(event.body().getString("cause"));
      }
    });
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), "n1")) {
      cluster.steps(1, 1, "n1", "n1");

      String why = "CKPT=0: XOR protects nothing, as SINGLE would: all ranks are in one group NODE, n1";
      assertThat(cluster.status("n1").getJsonObject("run").getJsonArray("warnings")).containsExactly(why);
      Eventually.holds("the event", () -> told.equals(List.of(why)));
    }
  }

  private void refused(TestCluster cluster, String why) throws Exception {
    List<CompletableFuture<Object>> ranks = cluster.run(NODES).start(scr -> "began");
    for (CompletableFuture<Object> rank : ranks) {
      assertThat(EmbeddedRun.failure(rank)).hasMessageContaining(why)
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_CONFIGURATION));
    }
  }

  private void write(TestCluster cluster, UnaryOperator<ScrOptions> configured) throws Exception {
    EmbeddedRun.all(new EmbeddedRun(cluster.nodes(), prefix, List.of(NODES), configured).start(scr -> {
      int step = RankProgram.restart(scr, 3) + 1;
      RankProgram.checkpoint(scr, prefix, step, 3);
      scr.finish();
      return null;
    }));
  }

  private static ScrOptions with(ScrOptions options, Map<String, String> environment) {
    return new ScrOptions(options.socket(), options.rank(), options.ranks(), options.prefix(), options.jobName(),
        new TreeMap<>(environment), options.calls());
  }

  private static Set<RedundancySet> setsOf(TestCluster cluster, int dataset) {
    return List.of(NODES).stream().flatMap(node -> cluster.record(node, dataset).ranks().stream())
        .map(rank -> rank.set()).collect(Collectors.toSet());
  }

  private void userFile(String... lines) throws IOException {
    Files.write(prefix.resolve(".scrconf"), List.of(lines));
  }
}
