package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.simulation.VirtualBus.Sent;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a node that cannot tell others of its files at first has them in the checkpoint as they are. Method: nodes in
 * virtual time; some have so few bytes that the gather carries them, one asks the others, and an answer is not one.
 */
@Timeout(120)
class FailedClaimTest {
  private static final String[] NODES = {"n1", "n2", "n3"};
  private static final int MANY_BYTES = 5000;
  private static final int FEW_BYTES = 300;

  @TempDir
  Path directory;
  private VirtualCluster cluster;

  private static byte[] bytes(int rank) {
    byte[] bytes = new byte[rank == 2 ? MANY_BYTES : FEW_BYTES];
    Arrays.fill(bytes, (byte) ('a' + rank));
    return bytes;
  }

  private Future<Void> checkpoint(VirtualSession session) {
    return session.startOutput("step-1", DatasetFlags.CHECKPOINT).compose(phase ->
        phase.route(cluster.prefix() + "/step-1/rank-" + session.rank()).map(path -> {
          try {
            return Files.setLastModifiedTime(
                Files.write(path, bytes(session.rank())), FileTime.from(cluster.now()));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }).compose(_ -> phase.complete(true))).mapEmpty();
  }

  private static Future<Boolean> hasItsBytes(VirtualSession session) {
    return session.restart().compose(phase -> phase.orElseThrow().route("rank-" + session.rank()).map(path -> {
      try {
        return Arrays.equals(Files.readAllBytes(path), bytes(session.rank()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }).compose(same -> phase.get().complete(same).map(same)));
  }

  @Test
  void itsFilesHaveTheirBytesWhenItHasToldTheOthersAfterAll() throws Exception {
    cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "0"));
    cluster.start(NODES);
    AtomicInteger broken = new AtomicInteger();
    cluster.bus().answering(sent -> sent.json().containsKey("taken") && broken.getAndIncrement() == 0
        ? new Sent(sent.from(), sent.address(), Buffer.buffer("{\"taken\":null}")) : sent);
    VirtualRun run = new VirtualRun(cluster, NODES);
    run.all(this::checkpoint);
    assertThat(broken.get()).as("answers to claims, the first one wrong").isGreaterThan(2);
    cluster.launch();
    assertThat(run.all(FailedClaimTest::hasItsBytes)).containsOnly(true);
  }
}
