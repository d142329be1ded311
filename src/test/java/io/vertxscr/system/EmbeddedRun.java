package io.vertxscr.system;

import io.vertxscr.client.Scr;
import io.vertxscr.client.ScrOptions;
import io.vertxscr.node.EmbeddedCluster;
import io.vertxscr.timing.Eventually;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;

/** Ranks as threads of the test, on nodes of an embedded cluster. */
final class EmbeddedRun {
  static final int PATIENCE_S = Eventually.PATIENCE_S;

  private final EmbeddedCluster cluster;
  private final Path prefix;
  private final List<String> nodeOfRank;
  private final UnaryOperator<ScrOptions> configured;

  EmbeddedRun(EmbeddedCluster cluster, Path prefix, List<String> nodeOfRank) {
    this(cluster, prefix, nodeOfRank, UnaryOperator.identity());
  }

  /** With what the application configures. */
  EmbeddedRun(
      EmbeddedCluster cluster, Path prefix, List<String> nodeOfRank, UnaryOperator<ScrOptions> configured) {
    this.configured = configured;
    this.cluster = cluster;
    this.prefix = prefix;
    this.nodeOfRank = nodeOfRank;
  }

  /** Program of a rank. */
  interface Program<T> {
    T run(Scr scr) throws Exception;
  }

  /** The program with ranks that end without finalize, none before the last has reached its end. */
  static <T> Program<T> withoutFinalize(int ranks, Program<T> program) {
    CyclicBarrier last = new CyclicBarrier(ranks);
    return scr -> {
      T result = program.run(scr);
      last.await(PATIENCE_S, TimeUnit.SECONDS);
      return result;
    };
  }

  /** Starts all ranks; each future has what its rank returned or threw. */
  <T> List<CompletableFuture<T>> start(Program<T> program) {
    List<CompletableFuture<T>> ranks = new ArrayList<>();
    for (int rank = 0; rank < nodeOfRank.size(); rank++) {
      ranks.add(start(rank, program));
    }
    return ranks;
  }

  <T> CompletableFuture<T> start(int rank, Program<T> program) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread.ofPlatform().daemon().name("rank-" + rank).start(() -> {
      ScrOptions options = new ScrOptions(Path.of("unused"), rank, nodeOfRank.size(), prefix, "test");
      try {
        T returned;
        try (Scr scr = Scr.open(cluster.client(nodeOfRank.get(rank)), configured.apply(options))) {
          returned = program.run(scr);
        }
        result.complete(returned);                        // closed: the caller may begin the next run
      } catch (Exception | AssertionError e) {
        result.completeExceptionally(e);
      }
    });
    return result;
  }

  /** Returns the results of all ranks, by rank. */
  static <T> List<T> all(List<CompletableFuture<T>> ranks) throws Exception {
    List<T> results = new ArrayList<>();
    for (CompletableFuture<T> rank : ranks) {
      results.add(rank.get(PATIENCE_S, TimeUnit.SECONDS));
    }
    return results;
  }

  /** Returns the failure of a rank. */
  static Throwable failure(CompletableFuture<?> rank) throws InterruptedException, TimeoutException {
    try {
      throw new AssertionError("did not fail but returned " + rank.get(PATIENCE_S, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }
}
