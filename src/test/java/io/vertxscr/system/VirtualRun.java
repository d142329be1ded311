package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.client.ScrClient;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Ranks on the nodes of a virtual cluster: what {@link RankProgram} does, in futures. */
final class VirtualRun {
  private static final int FILES = 3;

  private final VirtualCluster cluster;
  private final List<String> nodeOfRank;
  private final Map<String, String> environment;
  private final Path prefix;

  VirtualRun(VirtualCluster cluster, String... nodeOfRank) {
    this(cluster, Map.of(), nodeOfRank);
  }

  /** @param environment SCR_* variables of its processes */
  VirtualRun(VirtualCluster cluster, Map<String, String> environment, String... nodeOfRank) {
    this(cluster, environment, cluster.prefix(), List.of(nodeOfRank));
  }

  private VirtualRun(
      VirtualCluster cluster, Map<String, String> environment, Path prefix, List<String> nodeOfRank) {
    this.cluster = cluster;
    this.environment = environment;
    this.prefix = prefix;
    this.nodeOfRank = nodeOfRank;
  }

  /** Ranks of another program, with a prefix directory of its own. */
  VirtualRun in(Path other) {
    return new VirtualRun(cluster, environment, other, nodeOfRank);
  }

  /** Starts all ranks; each future has what becomes of its rank, and nothing where that died with its node. */
  <T> List<Future<T>> start(Function<VirtualSession, Future<T>> program) {
    List<Future<T>> ranks = new ArrayList<>();
    for (int rank = 0; rank < nodeOfRank.size(); rank++) {
      ranks.add(start(rank, program));
    }
    return ranks;
  }

  <T> Future<T> start(int rank, Function<VirtualSession, Future<T>> program) {
    ScrClient client = cluster.client(nodeOfRank.get(rank));
    Promise<T> end = Promise.promise();
    Future.fromCompletionStage(
            client.init(new InitRequest(rank, nodeOfRank.size(), prefix.toString(), "test",
                Optional.of(environment), Optional.empty())))
        .map(VirtualSession::new).compose(program).onComplete((result, failure) -> {
          client.close();
          end.complete(result, failure);
        });
    return end.future();
  }

  /** Runs from its begin to its end; what the ranks return. Where one fails, those of the others follow from that. */
  <T> List<T> all(Function<VirtualSession, Future<T>> program) {
    List<Future<T>> ended = start(program).stream().map(cluster::await).toList();
    List<Throwable> failures = ended.stream().filter(Future::failed).map(Future::cause).toList();
    if (!failures.isEmpty()) {
      AssertionError failed = new AssertionError("ranks have failed", failures.getFirst());
      failures.stream().skip(1).forEach(failed::addSuppressed);
      throw failed;
    }
    return ended.stream().map(Future::result).toList();
  }

  /** A run that restarts where it can, writes these steps, and ends; the step of the restart, 0 for none. */
  int steps(int first, int last) {
    List<Integer> from = all(session -> restart(session).compose(step ->
        checkpoints(session, first, last).compose(_ -> session.finish()).map(step)));
    assertThat(from).containsOnly(from.getFirst());
    return from.getFirst();
  }

  /** Writes these steps, one after the other. */
  Future<Void> checkpoints(VirtualSession session, int first, int last) {
    return first > last ? Future.succeededFuture()
        : checkpoint(session, first).compose(_ -> checkpoints(session, first + 1, last));
  }

  Future<Void> checkpoint(VirtualSession session, int step) {
    return session.startOutput("step-" + step, DatasetFlags.CHECKPOINT).compose(phase -> {
      Future<Void> written = Future.succeededFuture();
      for (int file = 0; file < FILES; file++) {
        int number = file;
        written = written.compose(_ -> phase.route(
            prefix + "/step-" + step + "/rank-" + session.rank() + "-" + number))
            .map(path -> write(file(session, path), RankProgram.bytes(session.rank(), step, number)));
      }
      return written.compose(_ -> phase.complete(true));
    });
  }

  private Path file(VirtualSession session, Path routed) {
    return cluster.file(nodeOfRank.get(session.rank()), routed);
  }

  /** The time of the file is that of the cluster: nodes tell each other of it. */
  private Void write(Path path, byte[] bytes) {
    try {
      Files.setLastModifiedTime(Files.write(path, bytes), FileTime.from(cluster.now()));
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads and compares what the restart offers; its step, 0 for none. */
  Future<Integer> restart(VirtualSession session) {
    return session.restart().compose(offered -> {
      if (offered.isEmpty()) {
        return Future.succeededFuture(0);
      }
      VirtualSession.VirtualPhase phase = offered.get();
      int step = Integer.parseInt(phase.name().substring("step-".length()));
      Future<Void> read = Future.succeededFuture();
      for (int file = 0; file < FILES; file++) {
        int number = file;
        read = read.compose(_ -> phase.route("rank-" + session.rank() + "-" + number)).map(path -> {
          assertThat(file(session, path)).hasBinaryContent(RankProgram.bytes(session.rank(), step, number));
          return null;
        });
      }
      return read.compose(_ -> phase.complete(true)).map(step);
    });
  }
}
