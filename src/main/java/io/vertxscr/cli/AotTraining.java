package io.vertxscr.cli;

import io.vertxscr.client.Output;
import io.vertxscr.client.Restart;
import io.vertxscr.client.Scr;
import io.vertxscr.client.ScrOptions;
import io.vertxscr.cluster.HazelcastConfig;
import io.vertxscr.cluster.LocalPorts;
import io.vertxscr.cluster.ops.OperatorsAddress;
import io.vertxscr.node.ClusteredNode;
import io.vertxscr.node.NodeOptions;
import io.vertxscr.prefix.metadata.PrefixPaths;
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
 * Training run for the class cache of daemons. It is a small cluster, so that it exercises leader and followers. A run
 * with a rank on each of two nodes writes checkpoints without files, with many small ones and with a large one; a
 * second one, with a spare for one of the nodes, has them rebuilt.
 */
final class AotTraining {
  private static final int RANKS = 2;
  private static final int EMPTY_CHECKPOINTS = 300;
  private static final int CHECKPOINTS_OF_MANY_FILES = 10;
  private static final int MANY_FILES = 1000;
  private static final int CHECKPOINTS_OF_A_LARGE_FILE = 20;
  private static final int FILE_BYTES = 4 << 20;

  private final NodeOptions options;
  private final String cluster;
  private final Path prefix;
  private final List<Integer> ports;
  private int started;

  /**
   * A rehearsal that is still to come.
   *
   * @param options of its nodes, but for their names
   * @param prefix the prefix directory of its runs
   */
  AotTraining(NodeOptions options, String cluster, Path prefix) throws IOException {
    this.options = options;
    this.cluster = cluster;
    this.prefix = Files.createDirectories(prefix);
    this.ports = LocalPorts.free(RANKS + 1);
  }

  void run() throws InterruptedException, IOException {
    try (ClusteredNode first = start()) {
      try (ClusteredNode lost = start()) {
        all(first, lost, this::write);
      }
      try (ClusteredNode spare = start()) {
        all(first, spare, AotTraining::restart);
      }
    }
  }

  private ClusteredNode start() {
    int number = started++;
    NodeOptions named = new NodeOptions(options.name() + "-" + number, options.settings(), options.security(),
        options.peerHost(), 0, options.directReads(), options.files());
    return ClusteredNode.start(new ClusteredNode.Options(named, new HazelcastConfig.Network(cluster, "127.0.0.1",
        ports.get(number), ports.stream().map(port -> "127.0.0.1:" + port).toList()), 0,
        Optional.of(new OperatorsAddress("127.0.0.1", 0, Optional.empty())), Optional.empty()));
  }

  private interface Program {
    void run(Scr scr) throws IOException;
  }

  /** A run with a rank on each of two nodes; another one may follow. */
  private void all(ClusteredNode first, ClusteredNode second, Program program)
      throws InterruptedException, IOException {
    try (ExecutorService ranks = Executors.newFixedThreadPool(RANKS)) {
      List<Callable<Void>> programs =
          List.of(() -> rank(first.socket(), 0, program), () -> rank(second.socket(), 1, program));
      for (Future<Void> rank : ranks.invokeAll(programs)) {
        rank.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("the rehearsal failed: " + e.getCause(), e);
    }
    Files.delete(new PrefixPaths(prefix).haltFile());
  }

  private Void rank(Path socket, int rank, Program program) throws IOException {
    try (Scr scr = Scr.open(new ScrOptions(socket, rank, RANKS, prefix, "rehearsal"))) {
      program.run(scr);
      scr.finish();
    }
    return null;
  }

  private void write(Scr scr) throws IOException {
    write(scr, EMPTY_CHECKPOINTS, 0, 0);
    write(scr, CHECKPOINTS_OF_MANY_FILES, MANY_FILES, 1);
    write(scr, CHECKPOINTS_OF_A_LARGE_FILE, 1, FILE_BYTES);
  }

  private void write(Scr scr, int checkpoints, int files, int fileBytes) throws IOException {
    byte[] bytes = new byte[fileBytes];
    for (int i = 0; i < checkpoints; i++) {
      try (Output checkpoint = scr.startCheckpoint("rehearsal")) {
        for (int file = 0; file < files; file++) {
          Files.write(checkpoint.route(prefix.resolve("rank-" + scr.rank() + "." + file).toString()), bytes);
        }
        checkpoint.complete(true);
      }
    }
  }

  private static void restart(Scr scr) {
    try (Restart restart = scr.restart().orElseThrow()) {
      restart.complete(true);
    }
  }
}
