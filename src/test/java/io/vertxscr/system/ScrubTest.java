package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.HeldPart;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.ScrubRequest;
import io.vertxscr.protocol.app.StatusRequest;
import io.vertxscr.protocol.node.scrub.ScrubAsk;
import io.vertxscr.protocol.node.scrub.ScrubView;
import io.vertxscr.redundancy.DatasetCheck;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: every flipped bit of a cache is found, and repaired while the run goes on. Where the scheme does not allow it,
 * that is told, and nothing bad is used. Method: nodes in virtual time on real files; a bit is flipped, the
 * scrub reads, bytes are compared with what they were. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class ScrubTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4", "n5"};
  private static final String VICTIM = "n3";
  private static final long SEED = Long.getLong("seed", 1);

  @TempDir
  Path directory;
  private VirtualCluster cluster;
  private VirtualRun run;
  private final Promise<Void> end = Promise.promise();
  private List<Future<Void>> ranks;

  /** A run that has written so many checkpoints, and computes. */
  private void computes(int checkpoints, String... parameters) throws IOException {
    begin(parameters);
    ranks = run.start(session -> run.checkpoints(session, 1, checkpoints).compose(_ -> end.future())
        .compose(_ -> session.finish()));
    awaitProtected(checkpoints);
  }

  private void begin(String... parameters) throws IOException {
    Map<String, String> all = new HashMap<>(Map.of("SCR_SCRUB_SECONDS", "100000", "SCR_CACHE_SIZE", "3"));
    for (int i = 0; i < parameters.length; i += 2) {
      all.put(parameters[i], parameters[i + 1]);
    }
    cluster = VirtualClusters.in(new Random(SEED), directory.resolve("walk"), all);
    cluster.start(NODES);
    cluster.launch();
    run = new VirtualRun(cluster, NODES);
  }

  private void awaitProtected(int dataset) {
    cluster.awaits("dataset " + dataset + " on all nodes", () -> Stream.of(NODES).allMatch(node ->
        cluster.store(node).find(dataset).isPresent()));
    cluster.pass(Duration.ofSeconds(1));
  }

  private void finish() {
    end.complete();
    ranks.forEach(rank -> assertThat(cluster.await(rank).cause()).isNull());
  }

  private ScrubView scrub(String node, boolean now) {
    return cluster.onLoop(node, () -> cluster.services(node).scrub().scrub(new ScrubAsk(now))).result();
  }

  private ScrubView.ScrubbedDataset scrubbed(String node, int dataset) {
    return scrub(node, false).datasets().stream().filter(one -> one.dataset() == dataset).findFirst().orElseThrow();
  }

  private void awaitScrub(String node, int dataset, int found, int repaired) {
    cluster.awaits("scrub of dataset " + dataset + " on " + node, () -> {
      Optional<ScrubView.ScrubbedDataset> seen = cluster.services(node).scrub().of(record(node, dataset));
      return seen.filter(one -> one.found() == found && one.repaired() == repaired).isPresent();
    });
  }

  private DatasetRecord record(String node, int dataset) {
    return cluster.store(node).find(dataset).orElseThrow();
  }

  private List<JsonObject> events(String type) {
    return cluster.bus().events(type);
  }

  /** The files that a node's filemap names, with their bytes; redundancy under the name of its rank. */
  private Map<String, byte[]> bytes(String node, int dataset) throws IOException {
    Map<String, byte[]> bytes = new TreeMap<>();
    for (Map.Entry<String, Path> file : files(node, dataset).entrySet()) {
      bytes.put(file.getKey(), Files.readAllBytes(file.getValue()));
    }
    return bytes;
  }

  private Map<String, Path> files(String node, int dataset) {
    Map<String, Path> files = new TreeMap<>();
    Path root = cluster.store(node).directory(dataset);
    for (RankRecord rank : record(node, dataset).ranks()) {
      rank.files().files().forEach(file -> files.put(file.name(), root.resolve(file.name())));
      rank.redundancy().ifPresent(name -> files.put("redundancy " + rank.files().rank(), root.resolve(name)));
    }
    return files;
  }

  private static void flip(Path file, long at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) at] ^= 0x10;
    Files.write(file, bytes);
  }

  private void flipData(String node, int dataset) throws IOException {
    flip(files(node, dataset).values().iterator().next(), 5000);
  }

  private static void assertSame(Map<String, byte[]> found, Map<String, byte[]> expected) {
    assertThat(found.keySet()).isEqualTo(expected.keySet());
    found.forEach((name, bytes) -> assertThat(bytes).as(name).isEqualTo(expected.get(name)));
  }

  @ParameterizedTest(name = "{0}, {1} failures, small files up to {2} bytes")
  @CsvSource({"XOR, 1, 0", "XOR, 1, 65536", "PARTNER, 1, 0", "PARTNER, 2, 0", "RS, 2, 0", "RS, 3, 0"})
  void aFlippedBitInAnyFileIsRepairedWhileTheRunGoesOn(String scheme, String failures, String small)
      throws IOException {
    computes(2, "SCR_COPY_TYPE", scheme, "SCR_SET_FAILURES", failures, "SCR_SMALL_BYTES", small);
    Map<String, byte[]> before = bytes(VICTIM, 2);
    assertThat(before).as("files and redundancy").hasSize(4);
    int repaired = 0;
    for (String name : before.keySet()) {
      int length = before.get(name).length;
      for (long at : length == 0 ? new long[0] : new long[] {0, 25, length / 2, length - 1}) {
        flip(files(VICTIM, 2).get(name), at);
        scrub(VICTIM, true);
        awaitScrub(VICTIM, 2, ++repaired, repaired);
        assertSame(bytes(VICTIM, 2), before);
      }
    }
    cluster.pass(Duration.ofSeconds(1));
    assertThat(events("damage-found")).hasSize(repaired).allMatch(event -> event.getString("about").equals(VICTIM));
    assertThat(events("damage-repaired")).hasSize(repaired);
    assertThat(events("damage-stays")).isEmpty();
    assertThat(scrubbed(VICTIM, 2).damaged()).isEmpty();
    finish();
    assertThat(run.steps(1, 0)).as("step of the restart").isEqualTo(2);
  }

  /** As many programs without state write them, hundreds a second. */
  @Test
  void datasetsWithoutAByteAreNotEachReadAtOnce() throws IOException {
    begin("SCR_FLUSH", "0");
    List<VirtualSession> sessions = new ArrayList<>();
    ranks = run.start(session -> {
      sessions.add(session);
      return end.future().compose(_ -> session.finish());
    });
    cluster.awaits("all ranks", () -> sessions.size() == NODES.length);
    cluster.pass(Duration.ofSeconds(25));
    for (int step = 1; step <= 100; step++) {
      String name = "step-" + step;
      sessions.stream().map(session -> session.startOutput(name, DatasetFlags.CHECKPOINT)
          .compose(phase -> phase.complete(true))).toList().forEach(cluster::await);
      cluster.pass(Duration.ofMillis(300));
    }
    assertThat(events("scrub-done").size()).isBetween(1, NODES.length * 36);
    finish();
  }

  @Test
  void whatIsMissingOrTooLongIsRepairedTooAndFilesAndRedundancyOfOneRankTogether() throws IOException {
    computes(1, "SCR_COPY_TYPE", "RS");
    Map<String, byte[]> before = bytes(VICTIM, 1);
    List<Path> files = List.copyOf(files(VICTIM, 1).values());
    Files.delete(files.getFirst());
    Files.write(files.get(2), new byte[7]);
    flip(files.getLast(), before.get("redundancy 2").length - 1);
    scrub(VICTIM, true);
    awaitScrub(VICTIM, 1, 2, 2);
    assertSame(bytes(VICTIM, 1), before);
    finish();
  }

  @Test
  void aDamagedFilemapIsWrittenAgain() throws IOException {
    computes(1, "SCR_COPY_TYPE", "XOR");
    Path filemap = cluster.store(VICTIM).directories().filemap(1);
    byte[] before = Files.readAllBytes(filemap);
    flip(filemap, before.length / 2);
    scrub(VICTIM, true);
    awaitScrub(VICTIM, 1, 1, 1);
    assertThat(filemap).hasBinaryContent(before);
    cluster.pass(Duration.ofSeconds(1));
    assertThat(events("damage-found")).singleElement().satisfies(event ->
        assertThat(event.getString("part")).isEqualTo(HeldPart.FILEMAP.name()));
  }

  /** Two members of an RS set that tolerates two losses, of which only one has been looked at. */
  @Test
  void damageOnAnotherNodeThatNobodyKnewOfIsFoundAndRepairedOnTheWay() throws IOException {
    computes(1, "SCR_COPY_TYPE", "RS");
    Map<String, byte[]> before = bytes(VICTIM, 1);
    Map<String, byte[]> other = bytes("n4", 1);
    flipData(VICTIM, 1);
    flipData("n4", 1);
    scrub(VICTIM, true);
    awaitScrub(VICTIM, 1, 1, 1);
    assertSame(bytes(VICTIM, 1), before);
    assertSame(bytes("n4", 1), other);
  }

  /** It would be computed from data that are not what they were. */
  @Test
  void redundancyIsNotMadeAgainFromDamagedData() throws IOException {
    computes(1, "SCR_COPY_TYPE", "RS");
    Map<String, byte[]> before = bytes(VICTIM, 1);
    Map<String, byte[]> other = bytes("n4", 1);
    flip(files("n4", 1).values().iterator().next(), 38_000);   // of the stripe that n3 has the second row of
    flip(files(VICTIM, 1).get("redundancy 2"), before.get("redundancy 2").length - 1);
    flip(files(VICTIM, 1).get("redundancy 2"), before.get("redundancy 2").length / 2);
    scrub(VICTIM, true);
    awaitScrub(VICTIM, 1, 1, 1);
    assertSame(bytes(VICTIM, 1), before);
    assertSame(bytes("n4", 1), other);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"SINGLE, n3, ''", "XOR, n3, n4", "PARTNER, n3, n4"})
  void beyondTheToleranceItIsToldAndAnOlderCheckpointIsUsed(String scheme, String first, String second)
      throws IOException {
    computes(2, "SCR_COPY_TYPE", scheme);
    List<String> damaged = second.isEmpty() ? List.of(first) : List.of(first, second);
    for (String node : damaged) {
      flipData(node, 2);
      if (scheme.equals("PARTNER")) {
        flip(files("n4", 2).get("redundancy 3"), bytes("n4", 2).get("redundancy 3").length - 1);
      }
      if (scheme.equals("PARTNER")) {
        break;                                            // the data of n3, and the copy of them on n4
      }
    }
    for (String node : NODES) {
      scrub(node, true);
    }
    cluster.awaits("that it is told", () -> events("damage-stays").size() == damaged.size());
    assertThat(events("damage-stays")).allMatch(event -> event.getString("fault").equals("TOO_MANY_LOST"));
    cluster.pass(Duration.ofHours(1));
    assertThat(events("damage-stays")).as("once").hasSize(damaged.size());
    assertThat(scrubbed(first, 2).damaged()).isNotEmpty();
    JsonObject status = cluster.onLoop("n1", () -> cluster.services("n1").status().status(
        new StatusRequest(Optional.of(true), Optional.empty()))).result();
    finish();
    assertThat(run.steps(1, 0)).as("step of the restart").isEqualTo(1);
    assertThat(status.getJsonArray("datasets").getJsonObject(1).getJsonObject("scrub")).isNotNull();
  }

  @Test
  void damagedBytesAreNotFlushed() throws IOException {
    computes(1, "SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "2");
    flipData("n3", 1);
    flipData("n4", 1);
    scrub("n3", true);
    scrub("n4", true);
    cluster.awaits("that it is told", () -> events("damage-stays").size() == 2);
    finish();
    assertThat(cluster.prefix().resolve(".scr/scr.dataset.1/summary.scr")).doesNotExist();
    assertThat(cluster.prefix().resolve("step-1")).doesNotExist();
    assertThat(events("flush-failed")).isNotEmpty()
        .allMatch(event -> event.getString("fault").equals("TOO_MANY_LOST"));
  }

  @Test
  void aScrubWaitsForAPhaseForAMinuteAtMost() throws IOException {
    begin("SCR_COPY_TYPE", "XOR");
    Promise<Void> written = Promise.promise();
    ranks = run.start(session -> run.checkpoint(session, 1).compose(_ ->
        session.startOutput("step-2", DatasetFlags.CHECKPOINT)).compose(phase ->
        written.future().compose(_ -> phase.complete(true))).compose(_ -> end.future())
        .compose(_ -> session.finish()));
    awaitProtected(1);
    cluster.pass(Duration.ofSeconds(5));
    assertThat(scrub(VICTIM, true).state()).isIn("late", "yielding");
    cluster.pass(Duration.ofSeconds(30));
    assertThat(scrub(VICTIM, false).state()).isEqualTo("yielding");
    assertThat(scrubbed(VICTIM, 1).lookedAtMs()).as("within the phase").isEmpty();
    written.complete();
    cluster.pass(Duration.ofSeconds(5));
    assertThat(scrubbed(VICTIM, 1).lookedAtMs()).as("behind it").isPresent();
    finish();
  }

  @Test
  void aPhaseThatHangsDelaysItByAMinute() throws IOException {
    begin("SCR_COPY_TYPE", "XOR");
    ranks = run.start(session -> run.checkpoint(session, 1).compose(_ ->
        session.startOutput("step-2", DatasetFlags.CHECKPOINT)).compose(_ -> end.future()));
    awaitProtected(1);
    scrub(VICTIM, true);
    cluster.pass(Duration.ofSeconds(70));
    assertThat(scrubbed(VICTIM, 1).lookedAtMs()).isPresent();
  }

  @Test
  void everythingIsReadOnceInEachRoundAndNotFasterThanItMay() throws IOException {
    computes(2, "SCR_COPY_TYPE", "XOR", "SCR_SCRUB_SECONDS", "1000", "SCR_SCRUB_BW", "10000");
    cluster.pass(Duration.ofSeconds(300));
    assertThat(events("scrub-done")).as("after a third of a round")
        .noneMatch(event -> event.getString("node").equals(VICTIM) && event.getInteger("dataset") == 2);
    cluster.pass(Duration.ofSeconds(3800));
    for (int dataset : List.of(1, 2)) {
      int id = dataset;
      List<Long> times = events("scrub-done").stream().filter(event -> event.getString("node").equals(VICTIM)
          && event.getInteger("dataset") == id).map(event -> event.getLong("timeMs")).toList();
      assertThat(times).hasSizeBetween(4, 8);
      for (int i = 1; i < times.size(); i++) {
        assertThat(times.get(i) - times.get(i - 1)).as("dataset %d", id).isBetween(400_000L, 1_000_000L);
      }
    }
    long before = cluster.now().toEpochMilli();
    int done = looksAt(VICTIM);
    scrub(VICTIM, true);
    cluster.awaits("both", () -> looksAt(VICTIM) == done + 2);
    long bytes = cluster.store(VICTIM).bytes(1) + cluster.store(VICTIM).bytes(2);
    long seconds = (cluster.now().toEpochMilli() - before) / 1000;
    assertThat(seconds).as("%d bytes at 10,000 a second, but for the last piece", bytes)
        .isBetween(bytes / 10_000 - 5, bytes / 10_000 + 5);
    finish();
  }

  private int looksAt(String node) {
    return (int) events("scrub-done").stream().filter(event -> event.getString("about").equals(node)).count();
  }

  @Test
  void zeroSwitchesItOffAndNowReadsAllTheSame() throws IOException {
    computes(1, "SCR_COPY_TYPE", "XOR", "SCR_SCRUB_SECONDS", "0");
    cluster.pass(Duration.ofHours(25));
    assertThat(events("scrub-done")).isEmpty();
    assertThat(scrub(VICTIM, false).state()).isEqualTo("off");
    JsonObject all = cluster.onLoop("n1", () ->
        cluster.services("n1").scrub().scrub(new ScrubRequest(Optional.of(true), Optional.empty()))).result();
    assertThat(all.getJsonArray("nodes")).hasSize(NODES.length);
    cluster.awaits("all nodes", () -> events("scrub-done").size() == NODES.length);
    cluster.pass(Duration.ofHours(1));
    assertThat(events("scrub-done")).hasSize(NODES.length);
    assertThat(scrub(VICTIM, false).state()).isEqualTo("off");
    finish();
  }

  @ParameterizedTest(name = "read {0}")
  @CsvSource({"1", "2", "3"})
  void aNodeThatDiesWhileItRepairsLeavesNothingBadAndRepairsWhenItIsBack(int read) throws IOException {
    int[] reads = {-1};
    begin("SCR_COPY_TYPE", "XOR");
    cluster.kill(VICTIM);
    cluster.disturb(sources -> (layouts, ifDifferent) -> {
      var source = sources.of(layouts, ifDifferent);
      return request -> {
        if (reads[0] > 0 && --reads[0] == 0) {
          cluster.kill(VICTIM);
        }
        if (reads[0] == 0) {
          throw new ScrException(Fault.INTERNAL, "a dead node reads nothing");
        }
        return source.open(request);
      };
    });
    cluster.start(VICTIM);
    cluster.disturb(sources -> sources);
    cluster.launch();
    ranks = run.start(session -> run.checkpoints(session, 1, 1).compose(_ -> end.future())
        .compose(_ -> session.finish()));
    awaitProtected(1);
    Map<String, byte[]> before = bytes(VICTIM, 1);
    flipData(VICTIM, 1);
    reads[0] = read;
    scrub(VICTIM, true);
    cluster.awaits("its death", () -> !cluster.isAlive(VICTIM));
    cluster.start(VICTIM);
    cluster.launch();
    cluster.pass(Duration.ofSeconds(5));
    scrub(VICTIM, true);
    awaitScrub(VICTIM, 1, 1, 1);
    assertSame(bytes(VICTIM, 1), before);
    try (Stream<Path> left = Files.list(cluster.store(VICTIM).directory(1).resolve(".scr"))) {
      assertThat(left).as("drafts").noneMatch(path -> path.getFileName().toString().startsWith("draft"));
    }
    assertThat(run.steps(1, 0)).isEqualTo(1);
  }

  @Test
  void whereTheLeaderIsLostTheNextOneRepairs() throws IOException {
    computes(1, "SCR_COPY_TYPE", "RS");
    Map<String, byte[]> before = bytes(VICTIM, 1);
    flipData(VICTIM, 1);
    cluster.bus().watch(sent -> {
      if (sent.address().endsWith(".node.mend") && cluster.isAlive("n1")) {
        cluster.kill("n1");
      }
    });
    scrub(VICTIM, true);
    cluster.awaits("its loss", () -> !cluster.isAlive("n1"));
    awaitScrub(VICTIM, 1, 1, 1);
    assertSame(bytes(VICTIM, 1), before);
  }

  @Test
  void parityWithoutAChecksumGetsOneFromItsFirstLook() throws IOException {
    computes(1, "SCR_COPY_TYPE", "XOR");
    RankRecord rank = record(VICTIM, 1).ranks().getFirst();
    assertThat(rank.redundancyCrc()).isPresent();
    cluster.store(VICTIM).update(record(VICTIM, 1).descriptor().key(), held ->
        held.with(new RankRecord(rank.files(), rank.set(), rank.redundancy())));
    scrub(VICTIM, true);
    cluster.awaits("its checksum", () ->
        record(VICTIM, 1).ranks().getFirst().redundancyCrc().equals(rank.redundancyCrc()));
    assertThat(events("damage-found")).isEmpty();
    finish();
  }

  @Test
  void aDatasetThatIsEvictedWhileItIsDamagedIsForgotten() throws IOException {
    computes(2, "SCR_COPY_TYPE", "SINGLE");
    flipData(VICTIM, 1);
    scrub(VICTIM, true);
    cluster.awaits("that it is told", () -> events("damage-stays").size() == 1);
    cluster.onLoop(VICTIM, () -> {
      cluster.store(VICTIM).evict(1);
      return Future.succeededFuture();
    });
    cluster.pass(Duration.ofHours(2));
    assertThat(scrub(VICTIM, true).datasets()).extracting(ScrubView.ScrubbedDataset::dataset).containsExactly(2);
    assertThat(events("damage-stays")).hasSize(1);
  }

  /** Datasets come and go, are moved, rebuilt and protected again while they are read. */
  @ParameterizedTest(name = "seed {0}")
  @CsvSource({"1, XOR", "2, RS", "3, PARTNER", "4, XOR", "5, RS", "6, PARTNER"})
  void aScrubBesideARunFindsNothingWhereNothingIsWrong(long seed, String scheme) throws IOException {
    cluster = VirtualClusters.in(new Random(seed), directory.resolve("walk"), Map.of("SCR_SCRUB_SECONDS", "1",
        "SCR_CACHE_SIZE", "2", "SCR_COPY_TYPE", scheme, "SCR_FLUSH", "2", "SCR_SMALL_BYTES", "0"));
    cluster.start(NODES);
    cluster.start("n6");
    cluster.launch();
    run = new VirtualRun(cluster, NODES);
    assertThat(run.steps(1, 5)).isZero();
    cluster.kill(VICTIM);
    cluster.loseStorage(VICTIM);
    cluster.launch();
    run = new VirtualRun(cluster, "n1", "n2", "n6", "n4", "n5");
    assertThat(run.steps(6, 8)).isEqualTo(5);
    cluster.start(VICTIM);
    cluster.launch();
    assertThat(new VirtualRun(cluster, NODES).steps(9, 10)).isEqualTo(8);
    cluster.pass(Duration.ofSeconds(30));
    assertThat(events("scrub-done")).hasSizeGreaterThan(20);
    assertThat(events("damage-found")).isEmpty();
  }

  /** Protection reads all files again, and would give what it reads a checksum. */
  @Test
  void aBitThatFlipsBehindTheVerificationOfARestartGetsNoNewChecksum() throws IOException {
    begin("SCR_COPY_TYPE", "RS", "SCR_SMALL_BYTES", "0");
    cluster.start("n6");
    assertThat(run.steps(1, 1)).isZero();
    Map<String, byte[]> before = bytes("n1", 1);
    List<RankRecord> known = record("n1", 1).ranks();
    cluster.kill(VICTIM);
    cluster.loseStorage(VICTIM);
    cluster.launch();
    boolean[] flipped = {false};
    cluster.bus().watch(sent -> {
      if (sent.address().endsWith(".node.protect") && !flipped[0]) {
        flipped[0] = true;
        try {
          flipData("n1", 1);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    });
    run = new VirtualRun(cluster, "n1", "n2", "n6", "n4", "n5");
    ranks = run.start(session -> end.future().compose(_ -> session.finish()));   // without reading the flipped bit
    cluster.awaits("a protection that fails", () -> !events("protection-not-caught-up").isEmpty());
    assertThat(events("protection-not-caught-up").getFirst().getString("fault")).isEqualTo("CORRUPT");
    assertThat(record("n1", 1).ranks().getFirst().files()).isEqualTo(known.getFirst().files());
    scrub("n1", true);
    awaitScrub("n1", 1, 1, 1);
    cluster.awaits("the protection", () -> !events("protection-caught-up").isEmpty());
    String data = before.keySet().iterator().next();
    assertThat(bytes("n1", 1).get(data)).isEqualTo(before.get(data));
    finish();
  }

  @ParameterizedTest
  @CsvSource({"XOR", "PARTNER", "RS"})
  void everyFlippedByteIsFoundInTheRightPart(Scheme scheme) throws IOException {
    computes(1, "SCR_COPY_TYPE", scheme.name());
    DatasetRecord record = record("n1", 1);
    Path root = cluster.store("n1").directory(1);
    assertThat(findings(record, root)).isEmpty();
    for (Map.Entry<String, Path> file : files("n1", 1).entrySet()) {
      long length = Files.size(file.getValue());
      boolean redundancy = file.getKey().startsWith("redundancy");
      int headerEnd = redundancy ? 2000 : 0;
      for (long at = 0; at < length; at += at < headerEnd ? 1 : 499) {
        flip(file.getValue(), at);
        assertThat(findings(record, root)).as("byte %d of %s", at, file.getKey()).singleElement()
            .satisfies(found -> assertThat(found.part())
                .isEqualTo(redundancy ? HeldPart.REDUNDANCY : HeldPart.FILES));
        flip(file.getValue(), at);
      }
    }
    assertThat(findings(record, root)).isEmpty();
  }

  private static List<DatasetCheck.Deviation> findings(DatasetRecord record, Path root) {
    DatasetCheck check = new DatasetCheck(record, root);
    while (!check.isDone()) {
      check.read();
    }
    return check.takeDeviations();
  }
}
