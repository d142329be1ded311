package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixFence;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.storage.LocalFiles;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a leader whose prefix directory another job has taken over asks no node again and again. Method: nodes in
 * virtual time; somebody takes over between the copies of a flush and their names.
 */
@Timeout(120)
class TakenOverFlushTest {
  private static final String[] NODES = {"n1", "n2", "n3"};

  @TempDir
  Path directory;

  @Test
  void aFlushWaitsUntilItsLeaderTakesOverAgain() throws Exception {
    VirtualCluster cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "1"));
    cluster.start(NODES);
    VirtualRun run = new VirtualRun(cluster, NODES);
    PrefixPaths paths = new PrefixPaths(cluster.prefix());
    Publication publication = new Publication(paths, null);
    LockUser other = new LockUser("other", new LocalFiles(FileSystems.getDefault()), Clock.systemUTC());
    run.all(session -> run.checkpoints(session, 1, 1).compose(_ -> copies(cluster)).onSuccess(_ -> {
      if (session.rank() == 0) {
        PrefixFence.takeOver(paths, other, "other", PrefixToken.id(7));
      }
    }).compose(_ -> cluster.later(500)).compose(_ -> {
      assertThat(publication.isComplete(1)).isFalse();
      assertThat(asked(cluster, NodeVerb.FLUSH_PUBLISH)).as("each node once at most")
          .isBetween(1L, (long) NODES.length);
      return session.finish();
    }));
    cluster.awaits("the end of the flush", () -> publication.isComplete(1));
    assertThat(PrefixFence.newest(paths).orElseThrow().node()).isIn((Object[]) NODES);
  }

  private static Future<Void> copies(VirtualCluster cluster) {
    return asked(cluster, NodeVerb.FLUSH_COPY) > 0 ? Future.succeededFuture()
        : cluster.later(1).compose(_ -> copies(cluster));
  }

  private static long asked(VirtualCluster cluster, NodeVerb verb) {
    return cluster.story().lines().filter(line ->
        Stream.of(NODES).anyMatch(node -> line.contains(" " + verb.address(node) + ": "))).count();
  }
}
