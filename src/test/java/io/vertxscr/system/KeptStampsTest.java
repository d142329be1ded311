package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.client.Output;
import io.vertxscr.client.Restart;
import io.vertxscr.client.Scr;
import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.Scheme;
import io.vertxscr.storage.FileStamps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Goal: a file has the mode and the time that its rank gave it, from every place it comes back from. */
class KeptStampsTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2", "n3"};

  private static Stamp stamp(int rank) {
    return new Stamp(rank == 0 ? 0444 : 0666, 1_600_000_000L + rank, 123_456_789);
  }

  private static int write(Scr scr, Path prefix) throws IOException {
    try (Output output = scr.startCheckpoint("step-1")) {
      Path file = output.route(prefix + "/out/f." + scr.rank());
      Files.write(file, RankProgram.bytes(scr.rank(), 1, 0));
      FileStamps.apply(stamp(scr.rank()), file);
      output.complete(true);
    }
    scr.finish();
    return 0;
  }

  private static int compare(Scr scr) throws IOException {
    try (Restart restart = scr.restart().orElseThrow()) {
      Path file = restart.route("f." + scr.rank());
      assertThat(file).hasBinaryContent(RankProgram.bytes(scr.rank(), 1, 0));
      assertThat(FileStamps.read(file)).isEqualTo(stamp(scr.rank()));
      restart.complete(true);
    }
    scr.finish();
    return 0;
  }

  @Test
  void afterARebuildAndAfterAFlushAndFetchFilesHaveTheModeAndTimeTheyWereGiven() throws Exception {
    try (TestCluster cluster = new TestCluster(
        vertx, directory, TestCluster.Setup.of(Scheme.XOR).flushing(1, false), NODES)) {
      cluster.all(scr -> write(scr, cluster.prefix()), NODES);
      for (int rank = 0; rank < NODES.length; rank++) {
        assertThat(FileStamps.read(cluster.prefix().resolve("out/f." + rank))).isEqualTo(stamp(rank));
      }
      cluster.lose("n1");
      cluster.nodes().start("n1");
      cluster.all(KeptStampsTest::compare, NODES);
      cluster.deleteAllStorage(NODES);
      cluster.all(KeptStampsTest::compare, NODES);
    }
  }

  @Test
  void throughContainersTheyKeepThemToo() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, new TestCluster.Setup(
        Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0", "SCR_USE_CONTAINERS", "1")), NODES)) {
      cluster.all(scr -> write(scr, cluster.prefix()), NODES);
      cluster.deleteAllStorage(NODES);
      cluster.all(KeptStampsTest::compare, NODES);
    }
  }
}
