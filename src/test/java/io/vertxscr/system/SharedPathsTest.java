package io.vertxscr.system;

import static io.vertxscr.system.RawRank.ok;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Output;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.Fault;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.Limits;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.node.NodeVerb;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: one path of two ranks fails the phase for all: one file would be lost in the flush. In the cache each rank has
 * its own files. Method: every pair of ranks on one node and on two, with one path by several names, among files of
 * their own: few, which a gather carries, many, of which nodes ask each other, or many of one of them.
 */
class SharedPathsTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n1", "n2", "n3"};

  private static TestCluster.Setup setup() {
    return TestCluster.Setup.of(Scheme.XOR).cached(2);
  }

  private TestCluster cluster(TestCluster.Setup setup) throws Exception {
    return new TestCluster(vertx, directory, setup, "n1", "n2", "n3");
  }

  static Stream<Arguments> pairs() {
    return IntStream.range(0, NODES.length).boxed().flatMap(one ->
        IntStream.range(one + 1, NODES.length).boxed().flatMap(other ->
            Stream.of(Set.of(), Set.of(0, 1, 2, 3), Set.of(other)).map(many -> Arguments.of(one, other, many))));
  }

  @ParameterizedTest(name = "ranks {0} and {1}, many files of {2}")
  @MethodSource("pairs")
  void aPathOfTwoRanksFailsThePhaseAndKeepsThePreviousCheckpoint(int one, int other, Set<Integer> many)
      throws Exception {
    try (TestCluster cluster = cluster(setup())) {
      cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, 3);
        for (int times = 0; times < 2; times++) {
          Output output = scr.startCheckpoint("step-2");
          writeOwn(output, cluster.prefix(), scr.rank(), many.contains(scr.rank()) ? Limits.MAX_CARRIED_FILES : 3);
          if (scr.rank() == one || scr.rank() == other) {
            String name = scr.rank() == one ? "/out/all" : "/out/../out/./all";
            Files.writeString(output.route(cluster.prefix() + name), "rank " + scr.rank());
          }
          assertThatThrownBy(() -> output.complete(true)).isInstanceOfSatisfying(ScrException.class,
              e -> assertThat(e.fault()).isEqualTo(Fault.NOT_VALID))
              .hasMessageContaining("is discarded: out/all is written by rank " + one + " on node " + NODES[one]
                  + " and by rank " + other + " on node " + NODES[other] + ": in the cache")
              .hasMessageContaining("SCR_CACHE_BYPASS=1");
        }
        return 0;
      }), NODES);
      assertThat(cluster.held("n1")).containsExactly(1);
      assertThat(cluster.held("n3")).containsExactly(1);
      assertThat(cluster.steps(2, 2, NODES)).isEqualTo(1);
      assertThat(cluster.restart(NODES)).isEqualTo(2);
    }
  }

  private static void writeOwn(Output output, Path prefix, int rank, int files) throws Exception {
    for (int file = 0; file < files; file++) {
      Files.writeString(output.route(prefix + "/step-2/" + rank + "/" + file), "x");
    }
  }

  /** A rank that could not open another rank's file declares its files invalid. The path is reported as the cause. */
  @Test
  void thePathIsTheReasonAlsoWhereARankHasFailedBecauseOfIt() throws Exception {
    try (TestCluster cluster = cluster(setup())) {
      cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        Output output = scr.startCheckpoint("step-1");
        Path all = output.route(cluster.prefix() + "/all");
        if (scr.rank() == 0) {
          Files.writeString(all, "x");
        }
        assertThatThrownBy(() -> output.complete(scr.rank() == 0)).hasMessageContaining("all is written by rank ");
        return 0;
      }), NODES);
    }
  }

  /** Three ranks that list their files: two have one path, one of them by a link. */
  @Test
  void filesThatClientsPlaceThemselvesAreComparedByTheirPlaces() throws Exception {
    try (TestCluster cluster = cluster(setup())) {
      Files.createDirectories(cluster.prefix().resolve("real"));
      Files.createSymbolicLink(cluster.prefix().resolve("link"), Path.of("real"));
      List<RawRank> ranks = IntStream.range(0, 3).mapToObj(rank -> new RawRank(vertx, "n" + (1 + rank), rank)).toList();
      List<Future<JsonObject>> inits = ranks.stream().map(rank -> rank.init(3, cluster.prefix())).toList();
      for (Future<JsonObject> init : inits) {
        ok(init);
      }
      List<String> paths = List.of("real/f", "own", "link/f");
      List<Future<JsonObject>> starts = ranks.stream().map(rank -> rank.call(Verb.START_OUTPUT)).toList();
      for (int rank = 0; rank < 3; rank++) {
        Path own = Files.createDirectories(Path.of(ok(starts.get(rank)).getString("directory")));
        Files.writeString(own.resolve(Path.of(paths.get(rank)).getFileName()), "x");
      }
      List<Future<JsonObject>> completes = IntStream.range(0, 3).mapToObj(rank -> {
        JsonObject file = new JsonObject().put("path", cluster.prefix() + "/" + paths.get(rank))
            .put("name", Path.of(paths.get(rank)).getFileName().toString());
        return ranks.get(rank).call(Verb.COMPLETE_OUTPUT, new JsonObject().put("files", new JsonArray().add(file)));
      }).toList();
      for (Future<JsonObject> complete : completes) {
        RawRank.refused(complete, Fault.NOT_VALID,
            "real/f is written by rank 0 on node n1 and by rank 2 on node n3");
      }
    }
  }

  /** Each rank has a directory of its own there, too. The files of two would overwrite each other in the flush. */
  @Test
  void inAStoreThatAllNodesShareItFailsJustSo() throws Exception {
    StoreDescriptor store = new StoreDescriptor(
        directory.resolve("cache").toString(), GroupDescriptors.WORLD, 1, OptionalLong.empty(), true);
    CheckpointDescriptor how = new CheckpointDescriptor(
        0, true, 1, GroupDescriptors.NODE, store.base(), Redundancy.of(Scheme.SINGLE, 8), false);
    RunPolicy policy = RunPolicy.of(new Descriptors(
        List.of(how), OptionalInt.empty(), List.of(store), GroupDescriptors.BUILT_IN), FlushPolicy.every(1, false));
    try (TestCluster cluster = new TestCluster(vertx, directory, policy, "n1", "n2", "n3")) {
      cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        Output output = scr.startCheckpoint("step-1");
        Files.writeString(output.route(cluster.prefix() + "/all"), "x");
        assertThatThrownBy(() -> output.complete(true)).hasMessageContaining("all is written by rank ");
        return 0;
      }), NODES);
    }
  }

  /** Duplicate claims after their answer: the sender assumed that its request was lost. */
  @Test
  void aClaimThatIsRepeatedIsNoConflictAndALateOneChangesNothing() throws Exception {
    Set<Buffer> repeated = ConcurrentHashMap.newKeySet();
    Set<String> claims = Stream.of("n1", "n2", "n3").map(NodeVerb.CLAIM_PATHS::address).collect(Collectors.toSet());
    Handler<DeliveryContext<Object>> twice = sent -> {
      if (claims.contains(sent.message().address()) && repeated.add((Buffer) sent.body())) {
        vertx.eventBus().request(sent.message().address(), sent.body());
        repeated.forEach(old -> vertx.eventBus().request(sent.message().address(), old));
      }
      sent.next();
    };
    vertx.eventBus().addOutboundInterceptor(twice);
    try (TestCluster cluster = cluster(setup())) {
      assertThat(cluster.steps(1, 3, NODES)).isZero();
      assertThat(repeated).hasSizeGreaterThan(6);
      assertThat(new TreeSet<>(cluster.held("n2"))).contains(3);
      assertThat(cluster.restart(NODES)).isEqualTo(3);
    } finally {
      vertx.eventBus().removeOutboundInterceptor(twice);
    }
  }
}
