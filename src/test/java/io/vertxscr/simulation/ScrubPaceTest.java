package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.config.Settings;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.VirtualSession.VirtualPhase;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Goal: a scrub reads each dataset once in a round, and not many times more, whatever its size. It asks for a repair
 * that has failed no more often than it promises. Method: two nodes with a rank each in virtual time; one rank writes a
 * small file, the other one none.
 */
class ScrubPaceTest {
  private static final Path PREFIX = Path.of("/pfs/prefix");
  private static final List<String> NODES = List.of("n1", "n2");
  private static final int ROUNDS = 6;

  private final Random random = new Random(1);
  private final VirtualTime time = new VirtualTime(random);
  private final SimulatedDisk shared = new SimulatedDisk(time::nowNs);
  private final Map<String, LocalFiles> machines = new HashMap<>();
  private VirtualCluster cluster;

  private LocalFiles machine(String name) {
    return machines.computeIfAbsent(name, _ -> new LocalFiles(new SimulatedFileSystem(
        name, new SimulatedDisk(time::nowNs), shared, SimulatedFileSystem.Interference.NONE)));
  }

  /** @return the cached file */
  private Path cached(Duration round) throws IOException {
    cluster = new VirtualCluster(random, time, Settings.load(Map.of("SCR_CNTL_BASE", "/local/cntl", "SCR_CACHE_BASE",
        "/local/cache", "SCR_COPY_TYPE", "SINGLE", "SCR_SCRUB_SECONDS", "" + round.toSeconds()), Optional.empty()),
        PREFIX, this::machine, true, (from, to) -> new int[] {from.equals(to) ? 0 : 1});
    Files.createDirectories(machine("n1").path(PREFIX.toString()));
    for (String node : NODES) {
      Files.createDirectories(machine(node).path("/local"));
      cluster.start(node);
    }
    List<VirtualSession> ranks = cluster.init(NODES);
    List<VirtualPhase> phases = cluster.all(ranks, rank -> rank.startOutput("step-1", DatasetFlags.CHECKPOINT));
    Path routed = cluster.answer(phases.getFirst().route(PREFIX + "/step-1/rank-0"));
    Path file = cluster.file("n1", routed);
    Files.write(file, new byte[10]);
    cluster.all(phases, phase -> phase.complete(true));
    cluster.all(ranks, VirtualSession::finish);
    return file;
  }

  @Test
  void whoHoldsFewBytesOrNoneReadsThemOnceInARoundToo() throws IOException {
    cached(Duration.ofHours(1).dividedBy(ROUNDS));
    cluster.pass(Duration.ofHours(1));
    for (String node : NODES) {
      assertThat(cluster.bus().events().stream().filter(event -> event.getString("type").equals("scrub-done")
          && event.getString("node").equals(node)).count()).as("looks of %s", node)
          .isBetween(ROUNDS - 1L, 3L * ROUNDS);
    }
  }

  @Test
  void whatCannotBeRepairedIsTriedAgainEveryTenMinutesHoweverOftenItIsRead() throws IOException {
    Path file = cached(Duration.ofSeconds(15));
    cluster.pass(Duration.ofMinutes(1));
    List<VirtualBus.Sent> repairs = new ArrayList<>();
    cluster.bus().watch(sent -> {
      if (sent.address().equals(NodeVerb.REPAIR.address("n1"))) {
        repairs.add(sent);
      }
    });
    Files.write(file, new byte[] {1}, StandardOpenOption.WRITE);
    cluster.pass(Duration.ofMinutes(9));
    assertThat(repairs).as("before ten minutes are over").hasSize(1);
    cluster.pass(Duration.ofMinutes(2));
    assertThat(repairs).as("behind them").hasSize(2);
  }
}
