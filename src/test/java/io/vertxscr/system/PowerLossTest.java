package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertxscr.client.Output;
import io.vertxscr.client.Restart;
import io.vertxscr.client.Scr;
import io.vertxscr.config.Settings;
import io.vertxscr.node.EmbeddedCluster;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.recorded.FaultyDisk.Kept;
import io.vertxscr.service.Observer;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: what daemons have called flushed outlives a loss of power of all nodes at once. Whole daemons run on files that
 * are handed in. Method: a cluster on a disk in memory, whose unsynced bytes and names go with the power.
 */
@ExtendWith(VertxExtension.class)
class PowerLossTest {
  private static final List<String> NODES = List.of("n1", "n2", "n1");
  private static final int STEPS = 2;

  /** Everything is on the disk, caches and prefix directory. */
  private static final class Machine implements AutoCloseable {
    final FaultyDisk disk;
    final Path prefix;
    final EmbeddedCluster cluster;

    Machine(Vertx vertx, FaultyDisk disk) {
      this(vertx, disk, Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0"));
    }

    Machine(Vertx vertx, FaultyDisk disk, Map<String, String> parameters) {
      this.disk = disk;
      this.prefix = disk.directory("/pfs/prefix");
      Settings settings = TestSettings.in(Path.of("/local"), parameters);
      this.cluster = new EmbeddedCluster(vertx, settings, true, Observer.NONE, new LocalFiles(disk.system()));
      NODES.stream().distinct().forEach(cluster::start);
    }

    <T> List<T> run(EmbeddedRun.Program<T> program) throws Exception {
      return EmbeddedRun.all(new EmbeddedRun(cluster, prefix, NODES).start(program));
    }

    int write(Scr scr) throws IOException {
      for (int step = 1; step <= STEPS; step++) {
        write(scr, step);
      }
      return STEPS;
    }

    private void write(Scr scr, int step) throws IOException {
      try (Output output = scr.startCheckpoint("step-" + step)) {
        Path file = onDisk(output.route(prefix + "/step-" + step + "/rank-" + scr.rank()));
        Files.write(file, RankProgram.bytes(scr.rank(), step, 0));
        output.complete(true);
      }
    }

    List<Integer> held(String node) {
      return cluster.node(node).ground().store().list().stream().map(held -> held.descriptor().id()).toList();
    }

    void awaitOnly(int dataset) throws Exception {
      for (String node : List.of("n1", "n2")) {
        Eventually.holds("dataset " + dataset + " alone on " + node, () -> held(node).equals(List.of(dataset)));
      }
    }

    /** The datasets that all nodes hold with all their bytes, after a loss of power. */
    Set<Integer> whole(FaultyDisk after) {
      Set<Integer> whole = new TreeSet<>(List.of(1, 2, 3));
      for (String node : List.of("n1", "n2")) {
        NodeDirectories here = cluster.node(node).ground().options().directories();
        DatasetStore store = DatasetStore.open(new NodeDirectories(after.system().getPath(here.base().toString()),
            after.system().getPath(here.below().toString()), after.system().getPath(here.control().toString())));
        whole.retainAll(store.list().stream().filter(held -> held.ranks().stream()
            .flatMap(rank -> rank.files().files().stream())
            .allMatch(file -> FileChecks.problem(store.directory(held.descriptor().id()), file).isEmpty()))
            .map(held -> held.descriptor().id()).toList());
      }
      return whole;
    }

    int restart(Scr scr) throws IOException {
      try (Restart restart = scr.restart().orElseThrow()) {
        int step = Integer.parseInt(restart.name().substring("step-".length()));
        Path file = onDisk(restart.route("rank-" + scr.rank()));
        assertThat(file).hasBinaryContent(RankProgram.bytes(scr.rank(), step, 0));
        restart.complete(true);
        return step;
      }
    }

    /** The client knows the file system of the machine only. */
    private Path onDisk(Path routed) {
      return disk.system().getPath(routed.toString());
    }

    @Override
    public void close() throws IOException {
      cluster.close();
      disk.close();
    }
  }

  @ParameterizedTest
  @EnumSource(Kept.class)
  void whatWasFlushedOutlivesALossOfPowerOfAllNodesAtOnce(Kept kept, Vertx vertx) throws Exception {
    FaultyDisk after;
    try (Machine machine = new Machine(vertx, new FaultyDisk())) {
      machine.run(machine::write);
      after = machine.disk.afterPowerLoss(kept, new Random(Long.getLong("seed", 1)));
    }
    try (Machine machine = new Machine(vertx, after)) {
      assertThat(machine.run(machine::restart)).containsOnly(STEPS);
    }
  }

  /**
   * Nothing is flushed, and the store keeps one checkpoint. Method: before every operation of the disk from the third
   * checkpoint on, a loss of power is tried.
   */
  @ParameterizedTest
  @EnumSource(Kept.class)
  void aCachedCheckpointOrTheOneBeforeItOutlivesALossOfPowerAtAnyOperation(Kept kept, Vertx vertx) throws Exception {
    Random random = new Random(Long.getLong("seed", 1));
    List<String> lost = new ArrayList<>();
    AtomicInteger tried = new AtomicInteger();
    try (Machine machine = new Machine(vertx, new FaultyDisk(),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "0", "SCR_CACHE_SIZE", "1"))) {
      machine.disk.directory("/local");                   // with those of the nodes below it: older than the run
      machine.run(scr -> {
        machine.write(scr, 1);
        machine.write(scr, 2);
        machine.awaitOnly(2);
        if (scr.rank() == 0) {
          machine.disk.trouble((operation, what) -> {
            try (FaultyDisk after = machine.disk.afterPowerLoss(kept, random)) {
              tried.incrementAndGet();
              if (machine.whole(after).stream().noneMatch(id -> id >= 2)) {
                lost.add("operation " + operation + ": " + what);
              }
            }
          });
        }
        machine.write(scr, 3);
        machine.awaitOnly(3);
        return 0;
      });
      machine.disk.trouble(FaultyDisk.Trouble.NONE);
    }
    assertThat(tried).hasPositiveValue();
    assertThat(lost).isEmpty();
  }
}
