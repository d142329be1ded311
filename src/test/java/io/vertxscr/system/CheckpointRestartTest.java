package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.node.EmbeddedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: the main scenario in one process. Checkpoints, loss of a node with its storage, restart with a spare. */
class CheckpointRestartTest {
  private static final int FILES = 3;

  @TempDir
  Path directory;
  private Vertx vertx;

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
  }

  @AfterEach
  void close() {
    vertx.close().await();
  }

  static Stream<Arguments> schemes() {
    return Stream.of(Arguments.of(Scheme.XOR, true), Arguments.of(Scheme.XOR, false),
        Arguments.of(Scheme.PARTNER, true), Arguments.of(Scheme.PARTNER, false));
  }

  private Settings settings(Scheme scheme, int flushEvery) {
    return TestSettings.in(directory, Map.of("SCR_COPY_TYPE", scheme.name(), "SCR_FLUSH", "" + flushEvery));
  }

  @ParameterizedTest
  @MethodSource("schemes")
  void goesOnFromTheNewestCheckpointAfterANodeIsLostWithItsStorage(Scheme scheme, boolean direct) throws Exception {
    Path prefix = Files.createDirectories(directory.resolve("prefix"));
    try (EmbeddedCluster cluster = new EmbeddedCluster(vertx, settings(scheme, 0), direct)) {
      List.of("n1", "n2", "n3", "n4").forEach(cluster::start);
      EmbeddedRun first = new EmbeddedRun(cluster, prefix, List.of("n1", "n1", "n2", "n2", "n3", "n3", "n4", "n4"));
      CyclicBarrier written = new CyclicBarrier(9);
      List<CompletableFuture<Integer>> ranks = first.start(scr -> {
        assertThat(RankProgram.restart(scr, FILES)).isZero();
        for (int step = 1; step <= 3; step++) {
          RankProgram.checkpoint(scr, prefix, step, FILES);
        }
        written.await();
        // nobody gets through: ranks disagree, or n3 dies
        RankProgram.checkpoint(scr, prefix, scr.rank() == 0 ? 5 : 4, FILES);
        return 0;
      });
      written.await();
      lose(cluster, "n3");
      for (CompletableFuture<Integer> rank : ranks) {
        assertThat(EmbeddedRun.failure(rank)).isInstanceOfSatisfying(ScrException.class,
            e -> assertThat(e.fault()).isIn(Fault.NODE_LOST, Fault.RANK_LOST, Fault.RANKS_DISAGREE));
      }
      cluster.start("n5");
      EmbeddedRun second = new EmbeddedRun(cluster, prefix, List.of("n1", "n1", "n2", "n2", "n5", "n5", "n4", "n4"));
      assertThat(EmbeddedRun.all(second.start(scr -> {
        int step = RankProgram.restart(scr, FILES);
        RankProgram.checkpoint(scr, prefix, step + 1, FILES);
        scr.finish();
        return step;
      }))).containsOnly(3);
    }
  }

  private void lose(EmbeddedCluster cluster, String node) throws IOException {
    var directories = cluster.node(node).ground().options().directories();
    cluster.kill(node);
    for (Path root : List.of(directories.cache(), directories.control())) {
      try (Stream<Path> paths = Files.walk(root)) {
        for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }
}
