package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.timing.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Goal: a prefix file system without an answer for a minute stops flushes and nothing else. They go on when it
 * answers. Method: two daemons, ranks that write checkpoints, a prefix directory on a FUSE file system whose process
 * is stopped meanwhile. A long test: -Dscr.long=true.
 */
class HungPrefixIT {
  private static final int FILES = 2;
  private static final int HANGS_S = 60;

  @Test
  void checkpointsGoOnWhileThePrefixHangsAndAreFlushedWhenItAnswers() throws Exception {
    Root.assumeLongTestsWith("bindfs");
    try (DaemonCluster cluster = new DaemonCluster(
            Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "1", "SCR_COPY_TYPE", "XOR", "SCR_CACHE_SIZE", "6"));
        MirrorMount mount = new MirrorMount(
            Files.createDirectories(cluster.directory().resolve("shown")), cluster.directory().resolve("m"))) {
      cluster.fill(2);
      Path prefix = Files.createDirectories(cluster.directory().resolve("m/prefix"));
      Path shown = cluster.directory().resolve("shown/prefix");
      SocketRun run = SocketRun.twoOnEach(prefix, cluster.alive());
      CyclicBarrier turn = new CyclicBarrier(5);
      List<CompletableFuture<Integer>> ranks = run.start(scr -> {
        RankProgram.checkpoint(scr, prefix, 1, FILES);
        await(turn);
        await(turn);
        RankProgram.checkpoint(scr, prefix, 2, FILES);
        RankProgram.checkpoint(scr, prefix, 3, FILES);
        await(turn);
        await(turn);
        scr.finish();
        return 3;
      });
      await(turn);
      Eventually.holds("flush of 1", () -> Files.exists(shown.resolve(".scr/scr.dataset.1/summary.scr")));
      mount.hang();
      long hangNs = System.nanoTime();
      await(turn);
      await(turn);                                        // two more checkpoints, none of them flushed
      System.out.printf("hung prefix: two checkpoints took %d ms%n",
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - hangNs));
      try (StatusOf status = new StatusOf(cluster.alive().getFirst())) {
        Eventually.holds("the status that says so", HANGS_S + EmbeddedRun.PATIENCE_S,
            () -> status.now().encode().matches(".*no answer for [6-9]\\d s.*"));
      }
      assertThat(shown.resolve(".scr/scr.dataset.2/summary.scr")).doesNotExist();
      mount.goOn();
      Eventually.holds("flush of 3", () -> Files.exists(shown.resolve(".scr/scr.dataset.3/summary.scr")));
      await(turn);
      for (CompletableFuture<Integer> rank : ranks) {
        assertThat(rank.get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS)).isEqualTo(3);
      }
      cluster.killAll();
      cluster.wipe("n1");
      cluster.wipe("n2");
      cluster.fill(2);
      assertThat(EmbeddedRun.all(SocketRun.twoOnEach(prefix, cluster.alive()).start(scr -> {
        int step = RankProgram.restart(scr, FILES);
        scr.finish();
        return step;
      }))).containsOnly(3);
    }
  }

  private static void await(CyclicBarrier turn) throws Exception {
    turn.await(2L * HANGS_S + EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
  }
}
