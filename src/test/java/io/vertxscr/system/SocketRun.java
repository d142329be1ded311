package io.vertxscr.system;

import io.vertxscr.client.Scr;
import io.vertxscr.client.ScrOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Ranks as threads of the test, each with a connection of its own to the socket of its node's daemon. */
record SocketRun(Path prefix, List<Path> socketOfRank) {
  /** Two ranks on each of these daemons, in their order. */
  static SocketRun twoOnEach(Path prefix, List<DaemonProcess> daemons) throws Exception {
    List<Path> sockets = new ArrayList<>();
    for (DaemonProcess daemon : daemons) {
      sockets.addAll(List.of(daemon.socket(), daemon.socket()));
    }
    return new SocketRun(prefix, sockets);
  }

  /** Starts all ranks; each future has what its rank returned or threw. */
  <T> List<CompletableFuture<T>> start(EmbeddedRun.Program<T> program) {
    List<CompletableFuture<T>> ranks = new ArrayList<>();
    for (int rank = 0; rank < socketOfRank.size(); rank++) {
      ranks.add(start(rank, program));
    }
    return ranks;
  }

  <T> CompletableFuture<T> start(int rank, EmbeddedRun.Program<T> program) {
    return start(new ScrOptions(socketOfRank.get(rank), rank, socketOfRank.size(), prefix, "test"), program);
  }

  /** A rank that configures something. */
  static <T> CompletableFuture<T> start(ScrOptions options, EmbeddedRun.Program<T> program) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread.ofPlatform().daemon().name("rank-" + options.rank()).start(() -> {
      try (Scr scr = Scr.open(options)) {
        result.complete(program.run(scr));
      } catch (Exception | AssertionError e) {
        result.completeExceptionally(e);
      }
    });
    return result;
  }
}
