package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.simulation.VirtualBus;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: no node evicts its part of a checkpoint whose flushed copy is gone. Some cannot note for a while that it is.
 * Method: nodes in virtual time; a directory in the place of a filemap, which nothing can then be renamed to.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class OnlyCopiesTest {
  private static final String[] NODES = {"n1", "n2", "n3"};
  private static final String NODE = "n2";

  @TempDir
  Path directory;
  private VirtualCluster cluster;
  private VirtualRun run;
  private int asked;

  /** A flushed checkpoint, of which somebody has emptied the prefix directory. */
  private void writtenAndDeleted() throws IOException {
    cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"),
        Map.of("SCR_COPY_TYPE", "SINGLE", "SCR_FLUSH", "1", "SCR_CACHE_SIZE", "2"));
    cluster.start(NODES);
    cluster.launch();
    run = new VirtualRun(cluster, NODES);
    assertThat(run.steps(1, 1)).isZero();
    for (String node : NODES) {
      assertThat(flush(node)).isEqualTo(FlushState.DONE);
    }
    Trees.delete(cluster.prefix());
    Files.createDirectories(cluster.prefix().resolve(".scr"));
    cluster.launch();
  }

  /** Where a run that crashes has restarted; by its end it would have flushed it again. */
  private int restartAndCrash() {
    Barrier crash = new Barrier(NODES.length);
    return run.all(session -> run.restart(session).compose(step -> crash.meet().map(step))).getFirst();
  }

  private FlushState flush(String node) {
    return cluster.store(node).find(1).orElseThrow().flush();
  }

  private Path filemap() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(file -> file.endsWith("scr.dataset.1.scrfilemap") && file.toString().contains("/" + NODE + "/"))
          .findFirst().orElseThrow();
    }
  }

  private void fails() throws IOException {
    Path filemap = filemap();
    Files.move(filemap, directory.resolve("aside"));
    Files.createDirectories(filemap.resolve("in the way"));
  }

  private void passes() throws IOException {
    Path filemap = filemap();
    Trees.delete(filemap);
    Files.move(directory.resolve("aside"), filemap);
  }

  /** One that would evict what is there of other programs, and in the prefix directory. */
  private void anotherProgramRuns() {
    cluster.launch();
    assertThat(new VirtualRun(cluster, NODES).in(directory.resolve("other")).steps(1, 3)).isZero();
    cluster.launch();
  }

  @Test
  void noRunBeginsWhileANodeTakesItForFlushed() throws Exception {
    writtenAndDeleted();
    fails();
    for (Future<Integer> rank : run.start(run::restart)) {
      assertThat(cluster.await(rank).cause()).isInstanceOfSatisfying(ScrException.class, e -> {
        assertThat(e.fault()).isEqualTo(Fault.IO);
        assertThat(e).hasMessageContaining("node " + NODE).hasMessageContaining("step-1")
            .hasMessageContaining("scr.dataset.1.scrfilemap");
      });
    }
    passes();
    cluster.launch();
    assertThat(restartAndCrash()).isEqualTo(1);
    for (String node : NODES) {
      assertThat(flush(node)).as(node).isEqualTo(FlushState.NOT_WANTED);
    }
    anotherProgramRuns();
    assertThat(restartAndCrash()).isEqualTo(1);
  }

  @Test
  void oneErrorIsTriedAgain() throws Exception {
    writtenAndDeleted();
    cluster.bus().watch(this::failsOnce);
    assertThat(restartAndCrash()).isEqualTo(1);
    assertThat(asked).isEqualTo(2);
    anotherProgramRuns();
    assertThat(restartAndCrash()).isEqualTo(1);
  }

  private void failsOnce(VirtualBus.Sent sent) {
    if (sent.address().equals("scr." + NODE + ".node.flushed") && !sent.isAnswer()) {
      asked++;
      try {
        if (asked == 1) {
          fails();
        } else if (asked == 2) {
          passes();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
