package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeStream;
import io.vertxscr.service.RangeSources;
import io.vertxscr.simulation.VirtualCluster;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a node that dies in the middle of encoding leaves nothing that claims to be complete. It takes no earlier
 * checkpoint with it.
 *
 * <p>Method: nodes in virtual time; the third checkpoint of a run: at the node's n-th read of the dataset it dies. Its
 * storage stays; it comes back on it, and the run is started again. Replay with -Dseed=N. The death behind the seal:
 * {@link DeathAtFilemapTest}.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class ProtectionWalkTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};
  private static final int THIRD = 3;
  private static final long SEED = Long.getLong("seed", 1);

  @TempDir
  Path directory;

  /** What has become of a walk while it goes on. */
  private static final class Death {
    private final String victim;
    private int readsLeft;
    private boolean othersHaveAll;

    Death(String victim, int read) {
      this.victim = victim;
      this.readsLeft = read;
    }
  }

  @ParameterizedTest(name = "{0} dies at read {1} of its encode")
  @CsvSource({"n1, 1", "n1, 2", "n1, 3", "n3, 1", "n3, 2"})
  void aNodeThatDiesWithinAnEncodeLosesNothing(String victim, int read) throws Exception {
    walk(SEED, victim, read);
  }

  @ParameterizedTest(name = "seed {0}")
  @CsvSource({"1, n1, 2", "2, n3, 1", "3, n2, 2"})
  void aSeedReplaysToTheByte(long seed, String victim, int read) throws Exception {
    assertThat(walk(seed, victim, read)).isEqualTo(walk(seed, victim, read)).contains(victim + " dies");
  }

  /** Walks; returns all that has happened. */
  private String walk(long seed, String victim, int read) throws Exception {
    VirtualCluster cluster = VirtualClusters.in(new Random(seed), directory.resolve("walk"),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_SMALL_BYTES", "0"));
    Death death = new Death(victim, read);
    for (String node : NODES) {
      cluster.disturb(sources -> node.equals(victim) ? dying(cluster, death, sources) : sources);
      cluster.start(node);
    }
    VirtualRun run = new VirtualRun(cluster, NODES);
    List<Future<Void>> ranks = run.start(session -> run.checkpoints(session, 1, THIRD));
    for (int rank = 0; rank < NODES.length; rank++) {
      if (!NODES[rank].equals(victim)) {
        assertThat(cluster.await(ranks.get(rank)).cause()).isInstanceOfSatisfying(ScrException.class,
            e -> assertThat(e.fault()).as(e.getMessage()).isIn(Fault.NODE_LOST, Fault.RANK_LOST));
      }
    }
    assertThat(cluster.isAlive(victim)).isFalse();
    cluster.disturb(sources -> sources);
    cluster.start(victim);
    cluster.launch();
    assertThat(held(cluster, victim)).contains(THIRD - 1).doesNotContain(THIRD);
    // the others may have come to their filemaps, by then or later, and then the lost one can be rebuilt
    assertThat(run.steps(4, 4)).isBetween(death.othersHaveAll ? THIRD : THIRD - 1, THIRD);
    cluster.kill(victim);
    cluster.loseStorage(victim);
    cluster.start(victim);
    cluster.launch();
    assertThat(run.steps(1, 0)).isEqualTo(4);
    return cluster.story();
  }

  private static List<Integer> held(VirtualCluster cluster, String node) {
    return cluster.store(node).list().stream().map(record -> record.descriptor().id()).toList();
  }

  private static RangeSources dying(VirtualCluster cluster, Death death, RangeSources sources) {
    return (layouts, ifDifferent) -> {
      var source = sources.of(layouts, ifDifferent);
      return request -> {
        RangeStream stream = source.open(request);
        return request.datasetId() == THIRD ? new Dying(cluster, death, stream) : stream;
      };
    };
  }

  /** Reads until the moment has come. */
  private record Dying(VirtualCluster cluster, Death death, RangeStream stream) implements RangeStream {
    @Override
    public void read(ByteBuffer into) {
      if (--death.readsLeft == 0) {
        List<String> others = new ArrayList<>(List.of(NODES));
        others.remove(death.victim);
        death.othersHaveAll = others.stream().allMatch(node -> held(cluster, node).contains(THIRD));
        cluster.kill(death.victim);
      }
      if (death.readsLeft <= 0) {
        throw new ScrException(Fault.INTERNAL, "a dead node reads nothing");
      }
      stream.read(into);
    }

    @Override
    public void close() {
      stream.close();
    }
  }
}
