package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.client.ScrClient;
import io.vertxscr.config.Settings;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.VirtualSession.VirtualPhase;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: one error of each of many nodes makes no run go back to an older checkpoint. Method: nodes
 * in virtual time, which fetch one after the other; caches are lost, and each node fails once to read a file of the
 * prefix directory: the same one, or its own. Replay with -Dseed=N.
 */
class ErrorsInTurnTest {
  private static final long SEED = Long.getLong("seed", 1);
  private static final Path PREFIX = Path.of("/pfs/prefix");
  private static final List<String> NODES = List.of("n1", "n2", "n3", "n4", "n5", "n6");

  private final Random random = new Random(SEED);
  private final VirtualTime time = new VirtualTime(random);
  private final SimulatedDisk shared = new SimulatedDisk(time::nowNs);
  private final Map<String, LocalFiles> machines = new HashMap<>();
  private final TreeSet<String> failed = new TreeSet<>();
  /** In the paths that cannot be read; nothing before the restart. */
  private Optional<String> failing = Optional.empty();
  private final VirtualCluster cluster = new VirtualCluster(random, time, Settings.load(Map.of("SCR_CNTL_BASE",
      "/local/cntl", "SCR_CACHE_BASE", "/local/cache", "SCR_COPY_TYPE", "SINGLE", "SCR_FLUSH", "1", "SCR_FLUSH_ASYNC",
      "0", "SCR_FETCH_WIDTH", "1"), Optional.empty()), PREFIX, this::machine, true,
      (from, to) -> new int[] {from.equals(to) ? 0 : 1});

  private LocalFiles machine(String name) {
    return machines.computeIfAbsent(name, _ -> new LocalFiles(new SimulatedFileSystem(
        name, new SimulatedDisk(time::nowNs), shared, (_, _, path) -> {
          if (failing.filter(path.toString()::contains).isPresent() && failed.add(name)) {
            throw new IOException("Input/output error");
          }
        })));
  }

  private void write(List<VirtualSession> ranks, String step) throws IOException {
    List<VirtualPhase> phases = cluster.all(ranks, rank -> rank.startOutput(step, DatasetFlags.CHECKPOINT));
    for (int rank = 0; rank < ranks.size(); rank++) {
      Path routed = cluster.answer(phases.get(rank).route(PREFIX + "/" + step + "/rank-" + rank));
      Files.write(cluster.file(NODES.get(rank), routed), new byte[100]);
    }
    cluster.all(phases, phase -> phase.complete(true));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/scr.dataset.2/rank2file", "/step-2/rank-"})
  void oneErrorOfEachNodeCostsNoCheckpoint(String path) throws IOException {
    Files.createDirectories(machine("n1").path(PREFIX.toString()));
    for (String node : NODES) {
      Files.createDirectories(machine(node).path("/local"));
      cluster.start(node);
    }
    cluster.pass(Duration.ofSeconds(1));
    List<ScrClient> clients = NODES.stream().map(cluster::client).toList();
    List<VirtualSession> ranks = cluster.all(cluster.init(clients, Map.of()), answer -> answer);
    write(ranks, "step-1");
    write(ranks, "step-2");
    cluster.all(ranks, VirtualSession::finish);
    clients.forEach(ScrClient::close);
    cluster.loseCaches(NODES.toArray(String[]::new));
    cluster.launch();

    failing = Optional.of(path);
    List<Optional<VirtualPhase>> offered = cluster.all(cluster.init(NODES), VirtualSession::restart);
    assertThat(failed).containsExactlyElementsOf(NODES);
    assertThat(offered).allMatch(phase -> phase.orElseThrow().name().equals("step-2"));
  }
}
