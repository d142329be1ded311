package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.restart.RestorePlan.Action;
import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.RankMap;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.container.AggregateRequest;
import io.vertxscr.protocol.node.container.ContainerPlace;
import io.vertxscr.protocol.node.container.PublishContainers;
import io.vertxscr.protocol.node.flush.FlushQuestion;
import io.vertxscr.protocol.node.flush.MapPartRequest;
import io.vertxscr.protocol.node.flush.OverwriteNotice;
import io.vertxscr.protocol.node.flush.PublishedForm;
import io.vertxscr.protocol.node.flush.TryLock;
import io.vertxscr.protocol.node.restart.FetchRanks.FetchMode;
import io.vertxscr.protocol.node.restart.FetchRanks;
import io.vertxscr.protocol.node.restart.RestoreRanks;
import io.vertxscr.protocol.node.run.JoinRun;
import io.vertxscr.protocol.node.run.RankConfiguration;
import io.vertxscr.service.run.LeaderService;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.verticle.NodeServices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: no message of a node leads outside the prefix directories and stores of the other's own runs. Method: two nodes
 * in virtual time that have flushed a checkpoint; each message that names a path is handed to the service that answers
 * it, with paths of a directory of the user that is neither, as the leader would send it. Each is refused by name, and
 * the directory is what it was.
 */
@Timeout(120)
class PathsInMessagesTest {
  private static final PrefixToken TOKEN = new PrefixToken(1, "n1", PrefixToken.id(1));

  @TempDir
  private Path directory;
  private VirtualCluster cluster;
  private Path decoy;
  private Map<String, String> before;
  private DatasetRecord held;
  private String prefix;
  private String store;

  @BeforeEach
  void flushACheckpoint() throws IOException {
    cluster = VirtualClusters.in(new Random(1), directory.resolve("walk"),
        Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0", "SCR_CACHE_SIZE", "2", "TOKEN", "sesame"));
    cluster.start("n1", "n2");
    assertThat(new VirtualRun(cluster, "n1", "n2").steps(1, 2)).isZero();
    held = cluster.store("n2").list().getLast();
    prefix = held.origin().prefix();
    store = held.cache().base();
    decoy = Files.createDirectories(directory.resolve("home/dir"));
    Files.writeString(decoy.resolve("key"), "secret");
    before = tree();
  }

  /** All below the decoy, with size and time. */
  private Map<String, String> tree() throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> all = Files.walk(directory.resolve("home"))) {
      for (Path path : all.toList()) {
        BasicFileAttributes is =
            Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        found.put(path.toString(), is.size() + " " + is.lastModifiedTime() + " " + is.isDirectory());
      }
    }
    return found;
  }

  /** Paths outside, as they may be written. */
  private List<String> outside() {
    return List.of(decoy.toString(), prefix + "/../../home/dir", store + "/../../home/dir", "/", prefix + "/inside",
        directory.resolve("home/none").toString());
  }

  private void isRefused(Function<NodeServices, Future<?>> message) throws IOException {
    isRefused("n2", message);
  }

  private void isRefused(String node, Function<NodeServices, Future<?>> message) throws IOException {
    NodeServices services = cluster.services(node);
    Throwable why = cluster.<Object>onLoop(node, () -> message.apply(services).map(answer -> (Object) answer)).cause();
    assertThat(why).as("refusal").isNotNull();
    assertThat(Fault.of(why)).as("%s", why).isEqualTo(Fault.OUTSIDE_PREFIX);
    assertThat(tree()).isEqualTo(before);
    assertThat(cluster.store(node).find(held.descriptor().id())).as("what the node holds").isPresent();
  }

  private Origin origin(String path) {
    return new Origin(path, held.origin().ranks());
  }

  private FetchRanks fetch(String from, String base, boolean byPath) {
    return new FetchRanks(held.descriptor(), origin(from), base, held.redundancy(), List.of(1),
        byPath ? new FetchMode(false, true, 1, Optional.of(TOKEN)) : new FetchMode(false, 1));
  }

  private RestoreRanks restore(String from, String base) {
    return new RestoreRanks(held.descriptor(), origin(from), base, held.redundancy(), FlushState.WANTED,
        List.of(new RankPlan(0, Action.MOVE, "n1", held.ranks().getFirst().set(), List.of())));
  }

  @Test
  void aLeaderThatHasNeverSeenThePrefixDirectoryFlushesThere() throws IOException {
    VirtualCluster other = VirtualClusters.in(new Random(2), directory.resolve("other"),
        Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "1"));
    other.start("n1", "n2");
    VirtualRun run = new VirtualRun(other, "n1", "n2");
    run.start(session -> run.checkpoint(session, 1).compose(_ -> Promise.<Void>promise().future()));
    other.awaits("a checkpoint", () -> List.of("n1", "n2").stream().allMatch(node ->
        other.store(node).list().stream().anyMatch(dataset -> dataset.flush() == FlushState.WANTED)));
    other.kill("n1");
    other.kill("n2");
    other.start("n3");
    other.start("n1", "n2");
    other.awaits("its flush", () -> other.store("n2").list().getLast().flush() == FlushState.DONE);
    assertThat(other.store("n3").list()).as("what the leader holds").isEmpty();
  }

  @Test
  void noRunBeginsInADirectoryThatNoApplicationOfTheNodeHasNamed() throws IOException {
    for (String path : outside()) {
      isRefused(services -> services.runs().begin(new RunInfo((1L << 53) - 1, path, "job",
          new RankMap(List.of("n1", "n2")), Optional.empty(), RunInfo.InitialState.NOTHING,
          TestSettings.in(directory, Map.of()).policy())));
    }
  }

  @Test
  void nothingIsFetchedFromOrToADirectoryOutside() throws IOException {
    for (String path : outside()) {
      isRefused(services -> services.fetches().fetch(fetch(path, store, false)));
      isRefused(services -> services.fetches().fetch(fetch(prefix, path, false)));
      isRefused(services -> services.aggregation().unpack(fetch(path, store, true)));
    }
  }

  @Test
  void nothingIsRestoredIntoOrForADirectoryOutside() throws IOException {
    for (String path : outside()) {
      isRefused(services -> services.inventory().restore(restore(path, store)));
      isRefused(services -> services.inventory().restore(restore(prefix, path)));
    }
  }

  /** The first thing that is wrong in a configuration file is quoted to its user. */
  @Test
  void noConfigurationFileOfAnotherNodeIsReadByTheLeader() {
    cluster.onLoop("n1", () -> cluster.services("n1").leader().join(new JoinRun("n2", "n1", prefix, "job", 1,
        List.of(0), Optional.of(new RankConfiguration(Map.of("SCR_CONF_FILE", decoy.resolve("key").toString()),
            List.of())), 0)));
    LeaderService leader = cluster.services("n1").leader();
    cluster.awaits("the end of the run", () -> cluster.onLoop("n1", leader::waits).result().text().equals("no run"));
    Throwable why = cluster.onLoop("n1", () -> leader.inRun(1, Future::succeededFuture)).cause();
    assertThat(why).hasMessageContaining("rank 0 does not wait on node n2").hasMessageNotContaining("secret");
  }

  /** What is wrong in a setting is quoted to its user. */
  @Test
  void noVariableOfTheLeadersEnvironmentIsInWhatANodeIsTold() throws IOException {
    Files.writeString(Path.of(prefix, ".scrconf"), "SCR_FLUSH=${TOKEN}");
    for (RankConfiguration named : List.of(
        new RankConfiguration(Map.of("SCR_FLUSH", "$TOKEN"), List.of()),
        new RankConfiguration(Map.of(), List.of("SCR_FLUSH=$TOKEN")), RankConfiguration.NOTHING)) {
      LeaderService leader = cluster.services("n1").leader();
      cluster.onLoop("n1", () -> leader.join(
          new JoinRun("n2", "n1", prefix, "job", 1, List.of(0), Optional.of(named), 0)));
      cluster.awaits("the end of the run", () ->
          cluster.onLoop("n1", leader::waits).result().text().equals("no run"));
      Throwable why = cluster.onLoop("n1", () -> leader.inRun(1, Future::succeededFuture)).cause();
      assertThat(why).as("%s", named).hasMessageContaining("rank 0 does not wait on node n2")
          .hasMessageNotContaining("sesame");
    }
  }

  @Test
  void noLockIsTriedOutside() throws IOException {
    for (String path : outside()) {
      isRefused(services -> services.flushes().tryLock(new TryLock(path)));
    }
  }

  @Test
  void noMapIsWrittenOutside() throws IOException {
    for (String path : outside()) {
      isRefused(services -> services.flushes().map(new MapPartRequest(
          held.descriptor().id(), path, 2, 1, 1, List.of("n2"), PublishedForm.FILES, TOKEN)));
    }
  }

  @Test
  void noContainerIsWrittenOrNamedOutside() throws IOException {
    int id = held.descriptor().id();
    for (String path : outside()) {
      isRefused(services -> services.aggregation().publish(new PublishContainers(id, 1, path, "1.a", 1, TOKEN)));
    }
    for (String layout : List.of("x/../../../../../home/dir", "", "/", "a\0")) {
      isRefused(services -> services.aggregation().publish(
          new PublishContainers(id, 1, prefix, layout, 1, TOKEN)));
      isRefused(services -> services.aggregation().aggregate(new AggregateRequest(
          id, 1, List.of(1), false, new ContainerPlace(layout, 1 << 20, 1, 0, false))));
    }
  }

  @Test
  void theLeaderLooksAtNoDirectoryAndChangesNoneThatItsRunsHaveNotNamed() throws IOException {
    for (String path : outside()) {
      isRefused("n1", services -> services.leader().leading(() -> services.flushLeader().states()
          .answer(new FlushQuestion(path, "unknown", OptionalInt.empty(), false))));
      isRefused("n1", services -> services.leader().leading(() -> services.flushLeader().coordinator()
          .overwrite(new OverwriteNotice(path, held.descriptor(), "file"))));
    }
  }
}
