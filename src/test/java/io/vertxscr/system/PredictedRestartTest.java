package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.flow.restart.Exposure;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.flow.restart.RestartOrder.Candidate;
import io.vertxscr.flow.restart.RestartSources;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Scheme;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RestartFileStore;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.protocol.Wire;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.service.restart.PrefixFetcher.Listing;
import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a restart takes the checkpoint that was predicted. Method: nodes in virtual time write three checkpoints, of
 * which the second is flushed; a daemon tells what all caches hold; for every subset of the nodes the outcome of its
 * loss is predicted, these nodes die with their storage, spare ones take their ranks, and a run restarts, every byte
 * checked. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class PredictedRestartTest {
  private static final long SEED = Long.getLong("seed", 1);
  private static final List<String> NODES = List.of("n1", "n2", "n3", "n4");

  @TempDir
  Path directory;

  @ParameterizedTest
  @CsvSource({"SINGLE,2,2", "PARTNER,2,2", "XOR,2,2", "XOR,4,2", "RS,4,0"})
  void aRestartTakesWhatWasPredicted(Scheme scheme, int setSize, int flushEach) throws Exception {
    List<Integer> taken = new ArrayList<>();
    for (int bits = 1; bits < 1 << NODES.size(); bits++) {
      int lost = bits;
      List<String> nodes = IntStream.range(0, NODES.size()).filter(node -> (lost >> node & 1) == 1)
          .mapToObj(NODES::get).toList();
      taken.add(walk(nodes, Map.of("SCR_COPY_TYPE", scheme.name(), "SCR_SET_SIZE", "" + setSize,
          "SCR_FLUSH", "" + flushEach, "SCR_FLUSH_ASYNC", "0", "SCR_CACHE_SIZE", "2")));
    }
    assertThat(taken).contains(flushEach == 0 ? 0 : 2);    // some losses were too much
    if (scheme != Scheme.SINGLE) {
      assertThat(taken).contains(3);
    }
  }

  /** The step that the restart has taken; 0 for none. */
  private int walk(List<String> lost, Map<String, String> parameters) throws Exception {
    VirtualCluster cluster = VirtualClusters.in(new Random(SEED), directory.resolve("walk"), parameters);
    cluster.start(NODES.toArray(String[]::new));
    VirtualRun run = new VirtualRun(cluster, NODES.toArray(String[]::new));
    Barrier crash = new Barrier(NODES.size());
    assertThat(run.all(session -> run.restart(session).compose(step ->
        run.checkpoints(session, 1, 3).compose(_ -> crash.meet()).map(step)))).containsOnly(0);
    cluster.launch();

    Exposure.LossOutcome predicted = exposure(cluster).ifLost(lost);
    lost.forEach(cluster::kill);
    cluster.launch();
    lost.forEach(cluster::loseStorage);
    String[] next = NODES.stream().map(node -> lost.contains(node) ? "s" + node : node).toArray(String[]::new);
    lost.forEach(node -> cluster.start("s" + node));
    int taken = new VirtualRun(cluster, next).steps(1, 0);
    assertThat(taken).as("without %s %s", lost, parameters).isEqualTo(predicted.offer().candidate()
        .map(Candidate::descriptor).map(DatasetDescriptor::id).orElse(0));
    assertThat(predicted.offer().otherSize()).isEmpty();
    return taken;
  }

  private static Exposure exposure(VirtualCluster cluster) {
    ScrClient client = cluster.client(NODES.getFirst());
    JsonObject status =
        new JsonObject(cluster.await(Future.fromCompletionStage(client.statusWithCaches())).result());
    List<Inventory> caches = status.getJsonArray("caches").stream()
        .map(cache -> Wire.read((JsonObject) cache, Inventory.class)).toList();
    assertThat(caches).extracting(Inventory::node).containsExactlyInAnyOrderElementsOf(NODES);
    PrefixPaths paths = new PrefixPaths(cluster.prefix());
    PrefixIndex index = new PrefixIndex(paths, PatientLocks.user("test"));
    return Exposure.of(new RestartSources(caches, cluster.prefix().toString(), NODES.size(),
        Listing.of(index.read().index(), new Publication(paths, index).datasets()).restart(),
        new RestartFileStore(paths, PatientLocks.user("test")).read(), List.of()), NODES);
  }
}
