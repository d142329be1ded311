package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.simulation.VirtualCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a copy of a message that comes when the first one has been answered changes nothing. Method: all messages
 * between nodes in virtual time come twice, the second time milliseconds or seconds later, behind what the sender did
 * next; runs restart from their caches, after the loss of a node, and from the prefix directory.
 */
class LateCopiesTest {
  private static final int RUNS = 6;

  static IntStream seeds() {
    return IntStream.rangeClosed(1, 12);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void runsGoOnWithTheNewestCheckpoint(int seed, @TempDir Path directory) throws IOException {
    Random random = new Random(Long.getLong("seed", seed));
    VirtualCluster cluster = VirtualClusters.in(
        random, directory, Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0", "SCR_CACHE_SIZE", "2"));
    cluster.connect(once -> new int[] {once[0], random.nextInt(random.nextInt(3) == 0 ? 15_000 : 60)});
    cluster.start("n1", "n2", "n3");
    VirtualRun run = new VirtualRun(cluster, "n1", "n2", "n3");
    for (int number = 1; number <= RUNS; number++) {
      assertThat(run.steps(number, number)).isEqualTo(number - 1);
      cluster.launch();
      switch (random.nextInt(3)) {
        case 0 -> cluster.loseCaches("n1", "n2", "n3");
        case 1 -> cluster.loseCaches("n" + random.nextInt(1, 4));
        default -> {}
      }
      cluster.pass(Duration.ofMillis(random.nextInt(5_000)));
    }
  }
}
