package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.timing.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a loss of power of all nodes costs a restart at most the newest checkpoint. Every byte of what it offers is
 * right, from caches on a disk and from the prefix directory. Method: two daemons on an ext4 of their own, whose
 * writes end at an arbitrary moment, the journal's too; then it is mounted again. SINGLE, because the redundancy file
 * of a set of two is synced and has all bytes of both. A long test: -Dscr.long=true.
 */
class PowerCutIT {
  private static final int FILES = 2;
  private static final int RANKS = 4;
  private static final long DISK_BYTES = 1L << 30;
  private static final int MOST_STEPS = 100_000;

  @ParameterizedTest(name = "{0}, flush every {1}, cut after step {2}")
  @CsvSource({"SINGLE, 0, 2", "SINGLE, 0, 3", "SINGLE, 0, 20", "XOR, 0, 7", "SINGLE, 1, 2", "SINGLE, 1, 5",
      "XOR, 3, 11"})
  void aRestartHasOneOfTheNewestTwoCheckpoints(String scheme, int flushEvery, int steps) throws Exception {
    Root.assumeLongTestsWith("mkfs.ext4", "python3", "mount");
    Path directory = Files.createTempDirectory("scr");
    try (LoopDisk disk = new LoopDisk(directory.resolve("image"), directory.resolve("d"), DISK_BYTES);
        DaemonCluster cluster = new DaemonCluster(Map.of("SCR_FLUSH", "" + flushEvery, "SCR_COPY_TYPE", scheme,
            "SCR_CACHE_SIZE", "2", "SCR_CNTL_BASE", directory.resolve("d/c").toString(),
            "SCR_CACHE_BASE", directory.resolve("d/k").toString()))) {
      cluster.fill(2);
      Path prefix = Files.createDirectories(directory.resolve("d/prefix"));
      AtomicIntegerArray told = new AtomicIntegerArray(RANKS);
      List<CompletableFuture<Integer>> ranks = SocketRun.twoOnEach(prefix, cluster.alive()).start(scr -> {
        for (int step = 1; step < MOST_STEPS; step++) {
          RankProgram.checkpoint(scr, prefix, step, FILES);
          told.set(scr.rank(), step);
        }
        return MOST_STEPS;
      });
      Eventually.holds("step " + steps, () -> newest(told) >= steps);
      disk.losePower();
      cluster.killAll();
      CompletableFuture.allOf(ranks.toArray(CompletableFuture[]::new)).handle((_, _) -> 0).join();
      int acknowledged = newest(told);
      disk.powerIsBack();
      cluster.startSoon("n1");
      cluster.startSoon("n2");
      cluster.awaitReady();
      List<Integer> offered = EmbeddedRun.all(SocketRun.twoOnEach(prefix, cluster.alive()).start(scr -> {
        int step = RankProgram.restart(scr, FILES);
        scr.finish();
        return step;
      }));
      System.out.printf("power cut: %d acknowledged, %s offered%n", acknowledged, offered);
      assertThat(offered).containsOnly(offered.getFirst());
      assertThat(offered.getFirst()).isGreaterThanOrEqualTo(acknowledged - 1);
      cluster.killAll();
    } finally {
      Files.deleteIfExists(directory.resolve("image"));
      Files.deleteIfExists(directory.resolve("d"));
      Files.deleteIfExists(directory);
    }
  }

  /** The newest step that all ranks were told of. */
  private static int newest(AtomicIntegerArray told) {
    return IntStream.range(0, RANKS).map(told::get).min().orElseThrow();
  }
}
