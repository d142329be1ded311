package io.vertxscr.system;

import io.vertxscr.client.Output;
import io.vertxscr.client.Scr;
import io.vertxscr.client.ScrOptions;
import io.vertxscr.cluster.tls.ClusterAuthority;
import io.vertxscr.node.ClusteredNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Daemons in this process, members of a real cluster. Ranks on the first two of them write checkpoints. */
final class DaemonsHere implements AutoCloseable {
  final List<ClusteredNode> nodes = new ArrayList<>();
  private final Path directory;

  DaemonsHere(Path directory, int count) throws IOException {
    this.directory = directory;
    MembersHere members = new MembersHere(directory.getFileName().toString(), count);
    for (int node = 0; node < count; node++) {
      nodes.add(members.start(node, "n" + node, environment(node),
          List.of(ClusterAuthority.ofRandomKey(new byte[ClusterAuthority.KEY_BYTES]))));
    }
  }

  /** Each node has control directories of its own, as on a machine of its own. */
  Map<String, String> environment(int node) {
    return Map.of("SCR_CNTL_BASE", directory + "/c" + node, "SCR_CACHE_BASE", directory + "/k" + node,
        "SCR_USER_NAME", "u", "SCR_JOB_ID", "1", "SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "0",
        "SCR_CACHE_SIZE", "2");
  }

  void checkpoint(Path prefix, String name) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      List<Callable<Void>> ranks = List.of(() -> checkpoint(0, prefix, name), () -> checkpoint(1, prefix, name));
      for (Future<Void> rank : threads.invokeAll(ranks)) {
        rank.get();
      }
    }
  }

  private Void checkpoint(int rank, Path prefix, String name) throws IOException {
    try (Scr scr = Scr.open(new ScrOptions(nodes.get(rank).socket(), rank, 2, prefix, "job"))) {
      try (Output checkpoint = scr.startCheckpoint(name)) {
        Files.write(checkpoint.route(prefix.resolve("rank-" + rank).toString()), new byte[100_000]);
        checkpoint.complete(true);
      }
      scr.finish();
    }
    return null;
  }

  @Override
  public void close() {
    nodes.reversed().forEach(ClusteredNode::close);
  }
}
