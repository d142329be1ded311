package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.client.ScrClient;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.protocol.app.OperatorRequest.OperatorVerb;
import io.vertxscr.protocol.app.OperatorRequest;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.storage.DatasetStore;
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

/**
 * Goal: a flush that is given up leaves nothing in the prefix directory once its dataset is gone. Method: nodes in
 * virtual time; the only copy of a file rots, so that the other nodes have copied theirs for nothing.
 */
@Timeout(120)
class LeftDraftsTest {
  private static final String[] NODES = {"n1", "n2", "n3"};

  @TempDir
  Path directory;

  private VirtualCluster cluster;

  private List<Path> drafts() throws IOException {
    DatasetStore store = cluster.store("n1");
    String pattern = PrefixPaths.draftsOf(store.find(1).orElseThrow().key());
    try (Stream<Path> all = Files.walk(cluster.prefix())) {
      return all.filter(path -> path.getFileSystem().getPathMatcher("glob:" + pattern).matches(path.getFileName()))
          .toList();
    }
  }

  @Test
  void theyGoWithTheDataset() throws Exception {
    cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"),
        Map.of("SCR_COPY_TYPE", "SINGLE", "SCR_FLUSH", "0"));
    cluster.start(NODES);
    VirtualRun run = new VirtualRun(cluster, NODES);
    run.all(session -> run.checkpoints(session, 1, 1));       // and dies
    DatasetStore bad = cluster.store("n2");
    Path rotten = bad.directory(1).resolve(
        bad.find(1).orElseThrow().ranks().getFirst().files().files().getFirst().name());
    byte[] bytes = Files.readAllBytes(rotten);
    bytes[0] ^= 1;
    Files.write(rotten, bytes);
    ScrClient client = cluster.client("n1");
    client.operate(new OperatorRequest(OperatorVerb.FLUSH, 1));
    cluster.awaits("the end of the flush", () -> !cluster.bus().events("flush-given-up").isEmpty());
    List<Path> left = drafts();
    assertThat(left).as("of a dataset whose nodes may come back").isNotEmpty();
    Future<?> dropped = Future.fromCompletionStage(client.operate(new OperatorRequest(OperatorVerb.DROP, 1)));
    cluster.awaits("the drop", dropped::isComplete);
    cluster.pass(Duration.ofSeconds(1));
    assertThat(cluster.store("n1").find(1)).isEmpty();
    assertThat(left).allMatch(Files::notExists);
    client.close();
  }
}
