package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.timing.Eventually;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Goal: a leader whose storage hangs is replaced. Method: three daemons; the control directory of the oldest is on a
 * FUSE file system whose process is stopped during a run of the other two. A long test: -Dscr.long=true.
 */
class HungLeaderIT {
  private static final int FILES = 2;
  private static final int ENDS_S = 120;

  @Test
  void aLeaderWhoseStorageHangsEndsItselfAndTheOthersGoOn() throws Exception {
    Root.assumeLongTestsWith("bindfs");
    try (DaemonCluster cluster = new DaemonCluster(Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "XOR")).withSecret();
        MirrorMount mount = new MirrorMount(
            Files.createDirectories(cluster.directory().resolve("shown")), cluster.directory().resolve("m"))) {
      DaemonProcess leader = cluster.startSoon("n1",
          Map.of("SCR_CNTL_BASE", cluster.directory().resolve("m/c").toString())).awaitReady();
      List<DaemonProcess> others = List.of(cluster.start("n2"), cluster.start("n3"));
      SocketRun run = SocketRun.twoOnEach(cluster.prefix(), others);
      CyclicBarrier turn = new CyclicBarrier(5);
      List<CompletableFuture<Integer>> ranks = run.start(scr -> {
        RankProgram.checkpoint(scr, run.prefix(), 1, FILES);
        turn.await(ENDS_S, TimeUnit.SECONDS);
        turn.await(ENDS_S, TimeUnit.SECONDS);
        RankProgram.checkpoint(scr, run.prefix(), 2, FILES);
        return 2;
      });
      turn.await(ENDS_S, TimeUnit.SECONDS);
      mount.hang();
      Eventually.holds("the end of the leader", ENDS_S, () -> !leader.isAlive());
      assertThat(leader.output()).contains("ends itself: its storage has not answered for 60 s");
      turn.await(ENDS_S, TimeUnit.SECONDS);
      for (CompletableFuture<Integer> rank : ranks) {
        assertThatThrownBy(() -> rank.get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS)).hasMessageContaining("n1");
      }
      assertThat(EmbeddedRun.all(run.start(scr -> {
        int step = RankProgram.restart(scr, FILES);
        RankProgram.checkpoint(scr, run.prefix(), step + 1, FILES);
        scr.finish();
        return step;
      }))).containsOnly(1);
    }
  }
}
