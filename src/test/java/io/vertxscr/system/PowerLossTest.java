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
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: whole daemons run on files that are handed in, and what they have called flushed outlives a loss of power of
 * all nodes at once. Method: a cluster on a disk in memory, whose unsynced bytes and names go with the power.
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
      this.disk = disk;
      this.prefix = disk.directory("/pfs/prefix");
      Settings settings = TestSettings.in(Path.of("/local"),
          Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0"));
      this.cluster = new EmbeddedCluster(vertx, settings, true, Observer.NONE, new LocalFiles(disk.system()));
      NODES.stream().distinct().forEach(cluster::start);
    }

    <T> List<T> run(EmbeddedRun.Program<T> program) throws Exception {
      return EmbeddedRun.all(new EmbeddedRun(cluster, prefix, NODES).start(program));
    }

    int write(Scr scr) throws IOException {
      for (int step = 1; step <= STEPS; step++) {
        try (Output output = scr.startCheckpoint("step-" + step)) {
          Path file = onDisk(output.route(prefix + "/step-" + step + "/rank-" + scr.rank()));
          Files.write(file, RankProgram.bytes(scr.rank(), step, 0));
          output.complete(true);
        }
      }
      return STEPS;
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
}
