package io.vertxscr.cli;

import io.vertxscr.client.Output;
import io.vertxscr.client.Scr;
import io.vertxscr.client.ScrOptions;
import io.vertxscr.cluster.HazelcastConfig;
import io.vertxscr.cluster.LocalPorts;
import io.vertxscr.node.ClusteredNode;
import io.vertxscr.node.NodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What a JVM does that is to remember the classes that a daemon needs, and how its methods are used: it is two nodes of
 * one cluster, so that it leads and is led, and serves a run with a rank on each, with and without files.
 */
final class Rehearsal {
  private static final int NODES = 2;
  private static final int EMPTY_CHECKPOINTS = 500;
  private static final int CHECKPOINTS_WITH_FILES = 20;
  private static final int FILE_BYTES = 4 << 20;

  private Rehearsal() {}

  /** Starts the nodes, has them serve, and stops them. */
  static void run(NodeOptions node, String cluster) throws IOException, InterruptedException {
    List<Integer> ports = LocalPorts.free(NODES);
    try (ClusteredNode first = start(node, cluster, ports, 0);
        ClusteredNode second = start(node, cluster, ports, 1);
        ExecutorService ranks = Executors.newFixedThreadPool(NODES)) {
      Path prefix = Files.createDirectories(first.socket().resolveSibling("prefix"));
      List<Callable<Void>> programs = List.of(rank(first.socket(), 0, prefix), rank(second.socket(), 1, prefix));
      for (Future<Void> rank : ranks.invokeAll(programs)) {
        rank.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("the rehearsal failed: " + e.getCause(), e);
    }
  }

  private static ClusteredNode start(NodeOptions node, String cluster, List<Integer> ports, int number) {
    NodeOptions named = new NodeOptions(node.name() + "-" + number, node.settings(), node.secret(), node.peerHost(),
        0, number == 0);
    HazelcastConfig.Network network = new HazelcastConfig.Network(cluster, "127.0.0.1", ports.get(number),
        ports.stream().map(port -> "127.0.0.1:" + port).toList());
    return ClusteredNode.start(new ClusteredNode.Options(named, network, "127.0.0.1", 0, Optional.empty()));
  }

  private static Callable<Void> rank(Path socket, int rank, Path prefix) {
    return () -> {
      try (Scr scr = Scr.open(new ScrOptions(socket, rank, NODES, prefix, "rehearsal"))) {
        scr.restart();
        byte[] bytes = new byte[FILE_BYTES];
        for (int i = 0; i < EMPTY_CHECKPOINTS + CHECKPOINTS_WITH_FILES; i++) {
          try (Output checkpoint = scr.startCheckpoint("rehearsal")) {
            if (i < CHECKPOINTS_WITH_FILES) {
              Files.write(checkpoint.route(prefix.resolve("rank-" + rank).toString()), bytes);
            }
            checkpoint.complete(true);
          }
        }
        scr.finish();
      }
      return null;
    };
  }
}
