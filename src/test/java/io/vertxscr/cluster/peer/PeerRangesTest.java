package io.vertxscr.cluster.peer;

import static io.vertxscr.cluster.peer.TestNode.PATIENT;
import static io.vertxscr.cluster.peer.TestNode.client;
import static io.vertxscr.cluster.peer.TestNode.files;
import static io.vertxscr.cluster.peer.TestNode.readAll;
import static io.vertxscr.cluster.peer.TestNode.redundancy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.transfer.TransferEngine;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: what arrives is what the files hold. Method: real sockets, every range of small files, random ones of big. */
class PeerRangesTest {
  @TempDir Path directory;

  @Test
  void everyRangeOfSmallFilesArrives() throws Exception {
    TestNode node = new TestNode(directory, new Random(1), 0, 3, 0, 0, 5, 1, 0);
    try (PeerServer server = node.serve(PATIENT, 4); PeerClient client = client(server.port(), PATIENT)) {
      for (int offset = 0; offset <= 12; offset++) {
        for (int bytes = 0; bytes <= 12; bytes++) {
          assertThat(readAll(client, files(offset, bytes), 1 + bytes / 2)).isEqualTo(node.expected(offset, bytes));
        }
      }
      assertThat(client.connections()).as("one reader needs one connection").isEqualTo(1);
    }
  }

  @Test
  void randomRangesOverManyFramesArrive() throws Exception {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("PeerRangesTest seed " + seed);
    Random random = new Random(seed);
    TestNode node = new TestNode(directory, random, 700_000, 1, PeerProtocol.MAX_FRAME_BYTES, 0, 900_001);
    try (PeerServer server = node.serve(PATIENT, 4); PeerClient client = client(server.port(), PATIENT)) {
      for (int round = 0; round < 40; round++) {
        int offset = random.nextInt(node.content.length + 100_000);
        int bytes = random.nextInt(2 * PeerProtocol.MAX_FRAME_BYTES + 2);
        assertThat(readAll(client, files(offset, bytes), 1 + random.nextInt(1 << 20)))
            .as("seed %d, %d bytes at %d", seed, bytes, offset).isEqualTo(node.expected(offset, bytes));
      }
    }
  }

  @Test
  void redundancyHasNothingBehindItsEnd() throws Exception {
    TestNode node = new TestNode(directory, new Random(2), 100);
    try (PeerServer server = node.serve(PATIENT, 4); PeerClient client = client(server.port(), PATIENT)) {
      assertThat(readAll(client, redundancy(40, 60), 60)).isEqualTo(node.expected(40, 60));
      assertFault(Fault.BAD_REQUEST, "ends at byte 100", () -> readAll(client, redundancy(40, 61), 61));
      assertFault(Fault.BAD_REQUEST, "ends at byte 100", () -> readAll(client, redundancy(101, 0), 1));
      assertThat(readAll(client, redundancy(100, 0), 1)).isEmpty();
    }
  }

  @Test
  void faultsOfTheCatalogArriveWithTheirMessageAndTheNode() throws Exception {
    TestNode node = new TestNode(directory, new Random(3), 10);
    try (PeerServer server = node.serve(PATIENT, 4); PeerClient client = client(server.port(), PATIENT)) {
      assertFault(Fault.NO_SUCH_DATASET, "node n1: dataset 8 is not in the cache",
          () -> client.open(new RangeRequest("n1", 8, 3, RangeRequest.RangeKind.FILES, 0, 1)));
      assertFault(Fault.INTERNAL, "node n1: cannot open the files of rank 4 in dataset 7",
          () -> client.open(new RangeRequest("n1", 7, 4, RangeRequest.RangeKind.FILES, 0, 1)));
      assertThat(readAll(client, files(0, 10), 10)).isEqualTo(node.content);
    }
  }

  @Test
  void aStreamGivesNoMoreThanItsRangeAndNothingAfterItsEnd() throws Exception {
    TestNode node = new TestNode(directory, new Random(4), 10);
    try (PeerServer server = node.serve(PATIENT, 4); PeerClient client = client(server.port(), PATIENT)) {
      var stream = client.open(files(0, 10));
      assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> stream.read(ByteBuffer.allocate(11)));
      stream.read(ByteBuffer.allocate(10));
      stream.close();
      stream.close();
      assertThat(client.idleConnections()).isEqualTo(1);
      assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> stream.read(ByteBuffer.allocate(0)));
    }
  }

  @Test
  void aStreamClosedInItsMiddleGivesUpItsConnection() throws Exception {
    TestNode node = new TestNode(directory, new Random(5), 3_000_000);
    try (PeerServer server = node.serve(PATIENT, 4); PeerClient client = client(server.port(), PATIENT)) {
      try (var stream = client.open(files(0, 3_000_000))) {
        stream.read(ByteBuffer.allocate(5));
      }
      assertThat(client.connections()).isZero();
      assertThat(readAll(client, files(0, 3_000_000), 1 << 19)).isEqualTo(node.content);
    }
  }

  @Test
  void manyReadersAtOnceGetTheirOwnBytes() throws Exception {
    TestNode node = new TestNode(directory, new Random(6), 400_000, 1_000_000);
    try (PeerServer server = node.serve(PATIENT, 64); PeerClient client = client(server.port(), PATIENT);
        var threads = Executors.newFixedThreadPool(24)) {
      List<Callable<Void>> readers = new ArrayList<>();
      for (int reader = 0; reader < 48; reader++) {
        int offset = reader * 20_011;
        readers.add(() -> {
          assertThat(readAll(client, files(offset, 600_000), 77_777)).isEqualTo(node.expected(offset, 600_000));
          return null;
        });
      }
      for (var done : threads.invokeAll(readers)) {
        done.get();
      }
      assertThat(client.idleConnections()).isLessThanOrEqualTo(PeerClient.MAX_IDLE_PER_NODE);
      assertThat(client.connections()).isEqualTo(client.idleConnections());
    }
  }

  @Test
  void nodesWithOneTransferThreadEachPullFromEachOtherWithoutWaitingInACircle() throws Exception {
    TestNode node = new TestNode(directory, new Random(8), 5_000_000);
    try (PeerServer one = node.serve(PATIENT, 4); PeerServer two = node.serve(PATIENT, 4);
        PeerClient toOne = client(one.port(), PATIENT); PeerClient toTwo = client(two.port(), PATIENT);
        TransferEngine ofOne = new TransferEngine("one", 1, 8);
        TransferEngine ofTwo = new TransferEngine("two", 1, 8)) {
      List<CompletableFuture<byte[]>> pulls = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        pulls.add(ofOne.submit("pull from two", () -> readAll(toTwo, files(0, 5_000_000), 100_000)));
        pulls.add(ofTwo.submit("pull from one", () -> readAll(toOne, files(0, 5_000_000), 100_000)));
      }
      for (var pull : pulls) {
        assertThat(pull.get(20, TimeUnit.SECONDS)).isEqualTo(node.content);
      }
    }
  }

  @Test
  void aServerThatCameBackIsReadWithoutAnError() throws Exception {
    TestNode node = new TestNode(directory, new Random(7), 1000);
    int[] port = new int[1];
    try (PeerClient client = new PeerClient(TestNode.SECURITY, name -> TestNode.info(name, port[0]), PATIENT)) {
      for (int life = 0; life < 3; life++) {
        try (PeerServer server = node.serve(PATIENT, 4)) {
          port[0] = server.port();
          assertThat(readAll(client, files(0, 1000), 1000)).isEqualTo(node.content);
        }
      }
    }
  }

  private static void assertFault(Fault fault, String message, Runnable call) {
    assertThatExceptionOfType(ScrException.class).isThrownBy(call::run)
        .withMessageContaining(message).extracting(ScrException::fault).isEqualTo(fault);
  }
}
