package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.CliRun;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.protocol.node.scrub.PublishedView.PublishedDataset;
import io.vertxscr.protocol.node.scrub.PublishedView;
import io.vertxscr.protocol.node.scrub.ScrubAsk;
import io.vertxscr.scavenge.IndexVerification;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: daemons find damage of published datasets, tell and mark it, and repair it from the caches. Method: nodes in
 * virtual time on real files; bytes of the prefix directory are changed.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class PublishedScrubTest {
  private static final String[] NODES = {"n1", "n2", "n3"};
  private static final String LEADER = "n1";
  /** With the longest rest between two looks. */
  private static final Duration ROUND = Duration.ofSeconds(1060);

  @TempDir
  Path directory;
  private VirtualCluster cluster;
  /** That rank 0 appends to its file of the second checkpoint. */
  private byte[] moreOfTheLast = {};

  /** Two checkpoints that were flushed, of a run that has ended. */
  private void published(String... parameters) throws IOException {
    Map<String, String> all = new HashMap<>(Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "1", "SCR_CACHE_SIZE", "2",
        "SCR_SCRUB_SECONDS", "0"));
    for (int i = 0; i < parameters.length; i += 2) {
      all.put(parameters[i], parameters[i + 1]);
    }
    cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"), all);
    cluster.start(NODES);
    new VirtualRun(cluster, NODES).all(session -> checkpoint(session, 1).compose(_ -> checkpoint(session, 2))
        .compose(_ -> session.finish()));
    assertThat(index().entries()).hasSize(2).allMatch(Index.Entry::complete);
  }

  private Future<Void> checkpoint(VirtualSession session, int step) {
    return checkpoint(session, "step-" + step, step);
  }

  private Future<Void> checkpoint(VirtualSession session, String name, int step) {
    return session.startOutput(name, DatasetFlags.CHECKPOINT).compose(phase ->
        phase.route(file(step, session.rank()).toString()).map(path -> {
          try {
            Files.write(path, RankProgram.bytes(session.rank(), step, 0));
            if (session.rank() == 0 && step == 2) {
              Files.write(path, moreOfTheLast, StandardOpenOption.APPEND);
            }
            return Files.setLastModifiedTime(path, FileTime.from(cluster.now()));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }).compose(_ -> phase.complete(true))).compose(_ -> cluster.later(10_000));
  }

  private Path file(int step, int rank) {
    return cluster.prefix().resolve("step-" + step).resolve("rank-" + rank);
  }

  private Index index() {
    return new PrefixIndex(new PrefixPaths(cluster.prefix()), PatientLocks.user("test", Duration.ofSeconds(10))).read()
        .index();
  }

  private void flip(int step, int rank) throws IOException {
    byte[] bytes = Files.readAllBytes(file(step, rank));
    bytes[bytes.length / 2] ^= 1;
    Files.write(file(step, rank), bytes);
  }

  private List<JsonObject> events(String type) {
    return cluster.bus().events(type);
  }

  private Stream<FlushState> flushStates(int dataset) {
    return Stream.of(NODES).map(node -> cluster.store(node).find(dataset).orElseThrow().flush());
  }

  private PublishedView view(boolean now) {
    return cluster.await(cluster.onLoop(LEADER, () ->
        cluster.services(LEADER).published().published(new ScrubAsk(now)))).result();
  }

  private List<String> remarks() {
    return cluster.await(cluster.onLoop(LEADER, () -> cluster.services(LEADER).leader().waits())).result().remarks();
  }

  private void awaitLooks(int count) {
    cluster.awaits(count + " looks", () -> events("published-verified").size() >= count);
  }

  @Test
  void onDemandEveryDatasetIsReadAndNothingIsFoundInWholeOnes() throws Exception {
    published();
    cluster.pass(Duration.ofHours(25));
    assertThat(events("published-verified")).as("off by itself").isEmpty();
    assertThat(view(false).datasets()).hasSize(2).noneMatch(PublishedDataset::due);
    assertThat(view(true).datasets()).hasSize(2).allMatch(PublishedDataset::due);
    awaitLooks(2);
    assertThat(events("published-verified")).hasSize(2).allMatch(event -> event.getInteger("bad") == 0);
    assertThat(view(false).datasets()).allMatch(one -> !one.due() && one.problem().isEmpty()
        && one.lookedAtMs().isPresent());
    assertThat(events("published-damaged")).isEmpty();
  }

  @Test
  void byScheduleEachIsReadOnceInARound() throws Exception {
    published("SCR_SCRUB_PREFIX_SECONDS", "1000");
    for (int round = 1; round <= 3; round++) {
      cluster.pass(ROUND);
      assertThat(events("published-verified")).hasSizeBetween(2 * round - 1, 2 * round + 1);
    }
  }

  @Test
  void whatIsDamagedIsToldMarkedAndFlushedAgainFromTheCaches() throws Exception {
    published("SCR_SCRUB_PREFIX_SECONDS", "1000");
    flip(2, 1);
    cluster.pass(ROUND);
    cluster.awaits("it is found", () -> !events("published-damaged").isEmpty());
    assertThat(events("published-damaged")).singleElement().satisfies(event -> {
      assertThat(event.getInteger("dataset")).isEqualTo(2);
      assertThat(event.getString("about")).isEqualTo(cluster.prefix().toString());
      assertThat(event.getString("cause")).contains("rank 1");
    });
    assertThat(remarks()).singleElement().asString().contains(
        "published dataset 2 of " + cluster.prefix() + " is damaged: rank 1");
    cluster.awaits("the caches keep it", () -> flushStates(2).noneMatch(FlushState.DONE::equals));
    assertThat(flushStates(1)).as("of one that is whole").containsOnly(FlushState.DONE);
    cluster.awaits("it is whole again", () -> index().find(2).orElseThrow().complete()
        && index().find(2).orElseThrow().failed().isEmpty());
    assertThat(file(2, 1)).hasBinaryContent(RankProgram.bytes(1, 2, 0));
    cluster.awaits("it counts as flushed", () -> flushStates(2).allMatch(FlushState.DONE::equals));
    int looks = events("published-verified").size();
    view(true);
    awaitLooks(looks + 2);
    assertThat(events("published-damaged")).as("no more").hasSize(1);
    assertThat(remarks()).isEmpty();
  }

  @Test
  void whatWasFlushedAgainIsReadAgainAndNotCalledDamagedAnyMoreThoughNothingIsScheduled() throws Exception {
    published();
    flip(2, 1);
    view(true);
    cluster.awaits("it is found", () -> !events("published-damaged").isEmpty());
    assertThat(remarks()).singleElement().asString().contains("is damaged");
    cluster.awaits("it is flushed again", () -> index().find(2).orElseThrow().failed().isEmpty());
    cluster.pass(Duration.ofMinutes(2));
    assertThat(remarks()).isEmpty();
    assertThat(view(false).datasets()).allMatch(one -> !one.due() && one.problem().isEmpty());
    int looks = events("published-verified").size();
    cluster.pass(Duration.ofHours(1));
    assertThat(events("published-verified")).as("nothing is due any more").hasSize(looks);
  }

  @Test
  void whatACommandHasMarkedIsReadAndFlushedAgainAsSoonAsAnybodyAsks() throws Exception {
    published();
    flip(2, 1);
    PrefixPaths paths = new PrefixPaths(cluster.prefix());
    PrefixIndex index = new PrefixIndex(paths, PatientLocks.user("test", Duration.ofSeconds(10)));
    new IndexVerification(paths, index, Clock.systemUTC(), _ -> {}).verify(index.read().index().entries());
    assertThat(index().find(2).orElseThrow().failed()).isPresent();
    assertThat(view(false).datasets()).filteredOn(PublishedDataset::due).singleElement()
        .returns(2, PublishedDataset::dataset);
    cluster.awaits("it is flushed again", () -> index().find(2).orElseThrow().failed().isEmpty());
    assertThat(file(2, 1)).hasBinaryContent(RankProgram.bytes(1, 2, 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void whatTheCachesDoNotHoldIsMarkedAndPassedOver(int damaged) throws Exception {
    published();
    cluster.loseCaches(NODES);
    flip(damaged, 0);
    VirtualRun run = new VirtualRun(cluster, NODES);
    run.all(session -> session.startOutput("late", DatasetFlags.CHECKPOINT).compose(phase -> phase.complete(true))
        .compose(_ -> session.finish()));
    view(true);
    cluster.awaits("it is found", () -> !events("published-damaged").isEmpty());
    assertThat(index().find(damaged).orElseThrow().failed()).isPresent();
    assertThat(index().find(3 - damaged).orElseThrow().failed()).isEmpty();
  }

  @Test
  void oneThatCannotBeReadHoldsUpNoOtherAndIsReadWhenItCanBe() throws Exception {
    published();
    Path map = new PrefixPaths(cluster.prefix()).dataset(2).resolve("rank2file");
    byte[] bytes = Files.readAllBytes(map);
    Files.delete(map);
    Files.createDirectory(map);                           // an error of the operating system, no damage
    view(true);
    awaitLooks(1);
    cluster.pass(Duration.ofMinutes(5));
    assertThat(events("published-verified")).extracting(event -> event.getInteger("dataset")).containsExactly(1);
    assertThat(events("published-damaged")).isEmpty();
    assertThat(remarks()).singleElement().asString()
        .contains("published dataset 2 of " + cluster.prefix() + " cannot be verified: ", map.toString());
    Files.delete(map);
    Files.write(map, bytes);
    cluster.pass(Duration.ofMinutes(10));
    assertThat(events("published-verified")).extracting(event -> event.getInteger("dataset")).containsExactly(1, 2);
    assertThat(remarks()).isEmpty();
  }

  /** Method: a loop of symbolic links in the place of its directory, an error of the operating system. */
  @Test
  void oneWhoseFilesCannotBeReadIsNotCalledDamagedAndIsReadWhenTheyCanBe() throws Exception {
    published();
    Path step = cluster.prefix().resolve("step-2");
    Path aside = Files.move(step, step.resolveSibling("aside"));
    Files.createSymbolicLink(step, step);
    view(true);
    cluster.awaits("it is tried", () -> !remarks().isEmpty());
    assertThat(remarks()).singleElement().asString()
        .contains("published dataset 2 of " + cluster.prefix() + " cannot be verified: rank 0: ", "symbolic links");
    assertThat(CliRun.of(Map.of(), "index", "--verify", "step-2", "--prefix", cluster.prefix()))
        .returns(1, CliRun::exit).extracting(CliRun::out, InstanceOfAssertFactories.STRING)
        .contains("3 files cannot be read now, so that nobody knows whether it is whole, and nothing is marked: ");
    assertThat(index().find(2).orElseThrow().failed()).isEmpty();
    assertThat(events("published-damaged")).isEmpty();
    assertThat(flushStates(2)).as("not flushed again").containsOnly(FlushState.DONE);
    Files.delete(step);
    Files.move(aside, step);
    cluster.pass(Duration.ofMinutes(2));
    assertThat(events("published-verified")).extracting(event -> event.getInteger("dataset")).containsOnly(1, 2);
    assertThat(remarks()).isEmpty();
  }

  @Test
  void aDatasetThatIsDeletedMeanwhileIsNoDamage() throws Exception {
    published();
    view(true);
    Trees.delete(new PrefixPaths(cluster.prefix()).dataset(1));
    new PrefixIndex(new PrefixPaths(cluster.prefix()), PatientLocks.user("test", Duration.ofSeconds(10)))
        .update(index -> index.drop(1));
    awaitLooks(1);
    cluster.pass(Duration.ofMinutes(5));
    assertThat(events("published-damaged")).isEmpty();
    assertThat(view(false).datasets()).extracting(PublishedDataset::dataset).containsExactly(2);
  }

  @Test
  void theNextLeaderGoesOn() throws Exception {
    published("SCR_SCRUB_PREFIX_SECONDS", "1000");
    flip(1, 2);
    cluster.kill(LEADER);
    cluster.pass(ROUND);
    cluster.awaits("it is found", () -> !events("published-damaged").isEmpty());
    assertThat(events("published-damaged")).singleElement()
        .satisfies(event -> assertThat(event.getString("node")).isNotEqualTo(LEADER));
  }

  /** A dataset that is smaller than a piece is read at once, and paid for before the next one. */
  @Test
  void noMoreIsReadInASecondThanItMay() throws Exception {
    published("SCR_SCRUB_BW", "1000");
    Instant begun = cluster.now();
    view(true);
    awaitLooks(2);
    long seconds = events("published-verified").getFirst().getLong("bytes") / 1000;
    assertThat(seconds).isGreaterThan(30);
    assertThat(Duration.between(begun, cluster.now())).isBetween(Duration.ofSeconds(seconds - 1),
        Duration.ofSeconds(seconds + 60));
  }

  @Test
  void oneWhoseFilesAreReplacedWhileItIsReadIsNoDamage() throws Exception {
    moreOfTheLast = new byte[17 << 20];
    published("SCR_SCRUB_BW", "1000000");
    view(true);
    cluster.pass(Duration.ofSeconds(5));                    // the first piece of the newest is read, and paid for
    moreOfTheLast = new byte[1];
    new VirtualRun(cluster, NODES).all(session -> checkpoint(session, "again", 2).compose(_ -> session.finish()));
    assertThat(index().find(2).orElseThrow().replacedBy()).hasValue(3);
    cluster.pass(Duration.ofHours(1));
    assertThat(events("published-damaged")).isEmpty();
    assertThat(events("published-verified")).extracting(event -> event.getInteger("dataset")).containsExactly(1);
    view(true);
    awaitLooks(3);
    assertThat(events("published-verified").subList(1, 3)).extracting(event -> event.getInteger("dataset"))
        .containsExactly(3, 1);
  }
}
