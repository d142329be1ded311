package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Scr;
import io.vertxscr.timing.Eventually;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Goal: two halves of a cluster that were cut apart become one again, with one leader. The next run goes on where the
 * last one was. Method: four daemons in network namespaces, two on each of two switches; the cable between the
 * switches is pulled during a run. Prints how long it took; no test depends on it. A long test: -Dscr.long=true.
 */
class NetworkCutIT {
  private static final int FILES = 2;

  @Test
  void afterACutThatEndsTheRunAllAreOneClusterAgainAndTheNextRunGoesOn() throws Exception {
    Root.assumeLongTestsWith("ip", "nsenter");
    try (Namespaces network = new Namespaces(2);
        DaemonCluster cluster = new DaemonCluster(Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "XOR"), network.hosts())) {
      cluster.fill(4);
      Eventually.holds("one cluster of four", () -> seen(cluster, Set.of(4)));
      SocketRun run = SocketRun.twoOnEach(cluster.newPrefix(), cluster.alive());
      CyclicBarrier cut = new CyclicBarrier(9);
      List<CompletableFuture<Integer>> ranks = run.start(scr -> {
        RankProgram.checkpoint(scr, run.prefix(), 1, FILES);
        cut.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        cut.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        RankProgram.checkpoint(scr, run.prefix(), 2, FILES);
        return 2;
      });
      cut.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      network.cut();
      long cutNs = System.nanoTime();
      cut.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      for (CompletableFuture<Integer> rank : ranks) {
        assertThatThrownBy(() -> rank.get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS)).hasMessageContaining("node n");
      }
      print("ranks were told", cutNs);
      Eventually.holds("two halves", () -> seen(cluster, Set.of(2)) && leaders(cluster).size() == 2);
      network.heal();
      long healNs = System.nanoTime();
      Eventually.holds("one cluster", () -> seen(cluster, Set.of(4)) && leaders(cluster).size() == 1);
      print("one cluster after the heal", healNs);
      assertThat(EmbeddedRun.all(run.start(scr -> restartAndGoOn(scr, run.prefix())))).containsOnly(1);
      print("the next run, since the heal", healNs);
      assertThat(EmbeddedRun.all(run.start(scr -> restartAndGoOn(scr, run.prefix())))).containsOnly(2);
    }
  }

  private static int restartAndGoOn(Scr scr, Path prefix) throws Exception {
    int step = RankProgram.restart(scr, FILES);
    RankProgram.checkpoint(scr, prefix, step + 1, FILES);
    scr.finish();
    return step;
  }

  private static boolean seen(DaemonCluster cluster, Set<Integer> sizes) throws Exception {
    Set<Integer> found = new TreeSet<>();
    for (DaemonProcess daemon : cluster.alive()) {
      found.add(status(daemon).getJsonArray("nodes").size());
    }
    return found.equals(sizes);
  }

  private static Set<String> leaders(DaemonCluster cluster) throws Exception {
    Set<String> found = new TreeSet<>();
    for (DaemonProcess daemon : cluster.alive()) {
      found.add(status(daemon).getString("leader"));
    }
    return found;
  }

  private static JsonObject status(DaemonProcess daemon) throws Exception {
    try (StatusOf status = new StatusOf(daemon)) {
      return status.now();
    }
  }

  private static void print(String what, long sinceNs) {
    System.out.printf("cut network: %s after %d ms%n", what,
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNs));
  }
}
