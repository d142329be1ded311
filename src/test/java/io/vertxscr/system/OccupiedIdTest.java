package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: no run begins from nothing because another program's dataset has the id of its checkpoint. Method: nodes in
 * virtual time that lose all caches, so that ids begin again for a program with another prefix directory.
 */
@Timeout(120)
class OccupiedIdTest {
  private static final String[] NODES = {"n1", "n2"};

  @TempDir
  Path directory;

  private VirtualCluster cluster;
  private VirtualRun flushed;
  private VirtualRun other;

  /** @param scheme of the program whose datasets are not flushed */
  private void bothProgramsHaveTheSameIds(String scheme) throws Exception {
    cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_CACHE_SIZE", "2"));
    cluster.start(NODES);
    flushed = new VirtualRun(cluster, Map.of("SCR_FLUSH", "1"), NODES);
    assertThat(flushed.steps(1, 2)).isZero();
    cluster.loseCaches(NODES);
    cluster.launch();
    other = new VirtualRun(cluster, Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", scheme), NODES)
        .in(directory.resolve("other"));
    other.all(session -> other.checkpoints(session, 1, 2));   // and dies
    cluster.launch();
  }

  /** Another job has written what this one is to fetch, later, and gave the same ids. */
  @Test
  void anEarlierOneIsFlushedFirst() throws Exception {
    cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_CACHE_SIZE", "2"));
    cluster.start(NODES);
    flushed = new VirtualRun(cluster, Map.of("SCR_FLUSH", "1"), NODES);
    other = new VirtualRun(cluster, Map.of("SCR_FLUSH", "0"), NODES).in(directory.resolve("other"));
    assertThat(other.steps(1, 2)).isZero();
    VirtualCluster job = VirtualClusters.in(new Random(2), directory.resolve("job"), Map.of("SCR_FLUSH", "1"));
    job.pass(Duration.ofHours(1));
    job.start(NODES);
    assertThat(new VirtualRun(job, NODES).in(cluster.prefix()).steps(1, 2)).isZero();
    restartsBehindTheOther();
  }

  @Test
  void theOtherOneIsFlushedFirst() throws Exception {
    bothProgramsHaveTheSameIds("XOR");
    restartsBehindTheOther();
  }

  private void restartsBehindTheOther() {
    flushed.all(session -> flushed.restart(session).compose(step -> {
      assertThat(step).isEqualTo(2);
      return session.finish();
    }).map(_ -> {
      if (session.rank() == 0) {
        assertThat(session.remarks()).anySatisfy(remark -> assertThat(remark).contains("step-2", "/other was flushed"));
      }
      return null;
    }));
    cluster.launch();
    assertThat(other.steps(3, 3)).as("it has lost nothing").isEqualTo(2);
  }

  /** Neither has been flushed, and the nodes of the other one were away when this one gave its ids. */
  @Test
  void theOtherOneIsFlushedBeforeRanksMoveToItsNodes() throws Exception {
    cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_CACHE_SIZE", "2", "SCR_FLUSH", "0"));
    cluster.start(NODES);
    other = new VirtualRun(cluster, NODES).in(directory.resolve("other"));
    other.all(session -> other.checkpoints(session, 1, 2));   // and dies
    List.of(NODES).forEach(cluster::kill);
    cluster.launch();
    cluster.start("n3", "n4");
    VirtualRun later = new VirtualRun(cluster, "n3", "n4");
    later.all(session -> later.checkpoints(session, 1, 2));   // and dies
    cluster.start(NODES);
    cluster.launch();
    flushed = new VirtualRun(cluster, NODES);
    restartsBehindTheOther();
  }

  @Test
  void aRunIsRefusedWhereTheOtherOneHasLostParts() throws Exception {
    bothProgramsHaveTheSameIds("SINGLE");
    cluster.loseCaches("n2");
    cluster.launch();
    assertThatThrownBy(() -> flushed.steps(3, 3)).cause().isInstanceOfSatisfying(ScrException.class, e -> {
      assertThat(e.fault()).isEqualTo(Fault.WRONG_STATE);
      assertThat(e).hasMessageContaining("/other that was not flushed")
          .hasMessageContaining("the run would start without one");
    });
  }
}
