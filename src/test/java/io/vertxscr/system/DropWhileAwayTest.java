package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.simulation.VirtualCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: what was dropped while a node was away goes when it is back, and does not wait there as lost.
 * Method: nodes in virtual time; a checkpoint that waits for its flush is dropped without the node; no run follows.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class DropWhileAwayTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};

  @TempDir
  private Path directory;

  /** The leader is the oldest node: as the others have seen it, or as it comes back itself. */
  @ParameterizedTest
  @ValueSource(strings = {"n4", "n1"})
  void itGoesFromTheNodeThatComesBack(String away) throws IOException {
    VirtualCluster cluster = dropped(away);
    cluster.start(away);
    cluster.pass(Duration.ofMinutes(1));
    assertThat(cluster.store(away).find(1)).as("dropped while it was away").isEmpty();
    assertThat(cluster.store(away).find(2)).as("not dropped").isPresent();
  }

  @Test
  void whereThePrefixDirectoryDoesNotSayItNowThatIsLookedAtAgain() throws IOException {
    VirtualCluster cluster = dropped("n4");
    Path history = new PrefixPaths(cluster.prefix()).restartFile();
    Path aside = history.resolveSibling("aside");
    Files.move(history, aside);
    Files.createDirectory(history);
    cluster.start("n4");
    cluster.pass(Duration.ofMinutes(3));
    assertThat(cluster.store("n4").find(1)).as("nobody knows").isPresent();
    Files.delete(history);
    Files.move(aside, history);
    cluster.pass(Duration.ofMinutes(2));
    assertThat(cluster.store("n4").find(1)).as("dropped while it was away").isEmpty();
    assertThat(cluster.store("n4").find(2)).as("not dropped").isPresent();
  }

  /** Two checkpoints wait for their flush; the older one is dropped while the node is away. */
  private VirtualCluster dropped(String away) throws IOException {
    VirtualCluster cluster = VirtualClusters.in(new Random(1), directory.resolve("walk"), Map.of("SCR_COPY_TYPE",
        "XOR", "SCR_FLUSH", "1", "SCR_FLUSH_ASYNC_BW", "1", "SCR_CACHE_SIZE", "2"));
    cluster.start(NODES);
    VirtualRun run = new VirtualRun(cluster, NODES);
    run.all(session -> run.checkpoints(session, 1, 2).compose(_ -> cluster.later(1000)));
    assertThat(cluster.store(away).find(1)).get().extracting(DatasetRecord::flush).isEqualTo(FlushState.WANTED);
    cluster.launch();
    cluster.start("n5");
    cluster.kill(away);
    cluster.pass(Duration.ofSeconds(10));
    List<String> left = Stream.of("n1", "n2", "n3", "n4", "n5").filter(node -> !node.equals(away)).toList();
    VirtualRun next = new VirtualRun(cluster, left.toArray(String[]::new));
    next.all(session -> next.restart(session)
        .compose(_ -> Future.fromCompletionStage(session.session().drop("step-1"))).compose(_ -> cluster.later(1000)));
    assertThat(cluster.store(left.getFirst()).find(1)).isEmpty();
    return cluster;
  }
}
