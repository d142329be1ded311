package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Handler;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertxscr.client.Output;
import io.vertxscr.client.Restart;
import io.vertxscr.format.RedundancyHeaderFile;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.Scheme;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a dataset without files is protected like every other, without messages between its nodes. It has a filemap,
 * sealed redundancy files, and restarts after a loss. Method: the messages between the nodes are counted.
 */
class EmptyDatasetTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2", "n3"};

  private final Queue<String> asked = new ConcurrentLinkedQueue<>();

  @ParameterizedTest
  @EnumSource(value = Scheme.class, names = {"PARTNER", "XOR"})
  void aDatasetWithoutFilesIsProtectedWithoutMessagesAndSurvivesALoss(Scheme scheme) throws Exception {
    Handler<DeliveryContext<Object>> listener = this::sent;
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(scheme), NODES)) {
      vertx.eventBus().addOutboundInterceptor(listener);
      writeNothing(cluster);
      vertx.eventBus().removeOutboundInterceptor(listener);

      assertThat(asked).isNotEmpty().noneMatch(address -> address.matches(".*\\.node\\.(layout|checksums)"));
      for (String node : NODES) {
        assertThat(cluster.protection(node)).isEqualTo("protected");
        DatasetRecord record = cluster.record(node, 1);
        assertThat(record.descriptor().totals().files()).isZero();
        assertThat(record.ranks()).singleElement().satisfies(rank -> assertSealed(cluster, node, rank));
      }
      cluster.lose("n2");
      cluster.nodes().start("n4");
      assertThat(readNothing(cluster, "n1", "n4", "n3")).containsOnly("nothing");
      assertThat(cluster.held("n4")).containsExactly(1);
    }
  }

  private void sent(DeliveryContext<Object> sent) {
    asked.add(sent.message().address());
    sent.next();
  }

  private static void writeNothing(TestCluster cluster) throws Exception {
    cluster.all(scr -> {
      try (Output output = scr.startCheckpoint("nothing")) {
        output.complete(true);
      }
      scr.finish();
      return 0;
    }, NODES);
  }

  private static List<String> readNothing(TestCluster cluster, String... nodes) throws Exception {
    return cluster.all(scr -> {
      try (Restart restart = scr.restart().orElseThrow()) {
        restart.complete(true);
        scr.finish();
        return restart.name();
      }
    }, nodes);
  }

  /** The redundancy file can be read: its header, which is written last, says whose it is. */
  private static void assertSealed(TestCluster cluster, String node, RankRecord rank) {
    Path file = cluster.datasetDirectory(node, 1).resolve(rank.redundancy().orElseThrow());
    try {
      RedundancyHeader header = RedundancyHeaderFile.decode(Files.readAllBytes(file));
      assertThat(header.set()).isEqualTo(rank.set());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
