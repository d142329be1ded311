package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a node that dies before its filemap is written leaves nothing that claims to be complete. It dies after the
 * sealing of its redundancy, and takes no earlier checkpoint with it.
 *
 * <p>Method: nodes in virtual time, on a disk in memory; the third checkpoint of a run: the node dies when it opens the
 * draft of its filemap. Its storage stays; it comes back on it, and the run is started again. Replay with -Dseed=N.
 */
@Timeout(120)
class DeathAtFilemapTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};
  private static final int THIRD = 3;
  private static final long SEED = Long.getLong("seed", 1);

  private VirtualCluster cluster;
  /** Null before the death. */
  private List<String> heldThird;

  @ParameterizedTest(name = "{0} dies at its filemap")
  @CsvSource({"n1", "n3"})
  void aNodeThatDiesBehindTheSealAndBeforeItsFilemapLosesNothing(String victim) throws Exception {
    try (FaultyDisk disk = new FaultyDisk()) {
      cluster = VirtualClusters.in(new Random(SEED), disk.directory("/walk"),
          Map.of("SCR_COPY_TYPE", Scheme.XOR.name()), new LocalFiles(disk.system()));
      cluster.start(NODES);
      cluster.launch();
      Path filemap = cluster.store(victim).directories().filemap(THIRD);
      disk.trouble((_, what) -> dieAtFilemap(disk, victim, filemap, what));
      VirtualRun run = new VirtualRun(cluster, NODES);
      List<Future<Void>> ranks = run.start(session -> run.checkpoints(session, 1, THIRD));
      for (int rank = 0; rank < NODES.length; rank++) {
        if (!NODES[rank].equals(victim)) {
          assertThat(cluster.await(ranks.get(rank)).cause()).isInstanceOfSatisfying(ScrException.class,
              e -> assertThat(e.fault()).as(e.getMessage()).isIn(Fault.NODE_LOST, Fault.RANK_LOST));
        }
      }
      assertThat(heldThird).as("it has died").isNotNull();
      assertThat(Files.exists(filemap)).isFalse();
      comesBackAndRestarts(run, victim);
    }
  }

  private void dieAtFilemap(FaultyDisk disk, String victim, Path filemap, String what) throws IOException {
    if (heldThird == null && what.contains(filemap.toString())) {
      heldThird = Stream.of(NODES).filter(node -> !node.equals(victim) && held(node).contains(THIRD)).toList();
      assertThat(redundancyOf(victim, disk)).as("its sealed redundancy").isNotEmpty();
      cluster.kill(victim);
    }
    if (heldThird != null && !cluster.isAlive(victim) && what.contains(filemap.toString())) {
      throw new IOException("a dead node writes nothing");
    }
  }

  private static List<Path> redundancyOf(String node, FaultyDisk disk) throws IOException {
    try (Stream<Path> all = Files.walk(disk.directory("/walk"))) {
      return all.filter(path -> path.toString().contains("/" + node + "/scr.dataset." + THIRD + "/"))
          .filter(path -> path.toString().endsWith(".xor")).toList();
    }
  }

  private void comesBackAndRestarts(VirtualRun run, String victim) throws Exception {
    cluster.start(victim);
    cluster.launch();
    assertThat(held(victim)).contains(THIRD - 1).doesNotContain(THIRD);
    // the others may have come to their filemaps, by then or later, and then the lost one can be rebuilt
    assertThat(run.steps(4, 4)).isBetween(heldThird.size() == NODES.length - 1 ? THIRD : THIRD - 1, THIRD);
    cluster.kill(victim);
    cluster.loseStorage(victim);
    cluster.start(victim);
    cluster.launch();
    assertThat(run.steps(1, 0)).isEqualTo(4);
  }

  private List<Integer> held(String node) {
    return cluster.store(node).list().stream().map(record -> record.descriptor().id()).toList();
  }
}
