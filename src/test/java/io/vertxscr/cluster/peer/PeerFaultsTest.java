package io.vertxscr.cluster.peer;

import static io.vertxscr.cluster.peer.TestNode.PATIENT;
import static io.vertxscr.cluster.peer.TestNode.awaitNoneOpen;
import static io.vertxscr.cluster.peer.TestNode.client;
import static io.vertxscr.cluster.peer.TestNode.files;
import static io.vertxscr.cluster.peer.TestNode.readAll;
import static io.vertxscr.cluster.peer.TestNode.ticksUntil;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeStream;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a peer that is slow is waited for, one that is gone, silent or wrong is named, within bounds. */
@Timeout(120)
class PeerFaultsTest {
  private static final int BYTES = 60;
  private static final int TICK_MS = 5_000;
  /** After so many the watchdog calls a peer silent: the first only sees the new limit, the last is begun. */
  private static final int SILENT_TICKS = PATIENT.silenceMs() / TICK_MS + 2;

  @TempDir Path directory;

  @Test
  void aSlowPeerIsWaitedForAsLongAsSomethingArrives() throws Exception {
    PeerWatchdog watchdog = new PeerWatchdog(TICK_MS);
    Semaphore read = new Semaphore(1);
    try (FakePeer peer = FakePeer.answering((client, request) -> {
      start(client, request, BYTES);
      for (int i = 0; i < BYTES; i++) {
        read.acquireUninterruptibly();          // the byte before
        for (int tick = 1; tick < SILENT_TICKS; tick++) {
          watchdog.tick();
        }
        client.writeFully(ByteBuffer.wrap(new byte[] {(byte) i}));
      }
      FakePeer.head(client, request.number(), 2, 0);
    }); PeerClient client = client(peer.port(), watchdog); var stream = client.open(files(0, BYTES))) {
      for (int i = 0; i < BYTES; i++) {
        ByteBuffer next = ByteBuffer.allocate(1);
        stream.read(next);
        assertThat(next.get(0)).isEqualTo((byte) i);
        read.release();
      }
    }
  }

  @Test
  void aPeerThatFallsSilentIsNamedWithinTheTimeout() throws Exception {
    for (int after = 0; after < BYTES; after += 29) {
      CompletableFuture<FakePeer> self = new CompletableFuture<>();
      CountDownLatch silent = new CountDownLatch(1);
      PeerWatchdog watchdog = new PeerWatchdog(TICK_MS);
      int sent = after;
      try (FakePeer peer = FakePeer.answering((client, request) -> {
        start(client, request, BYTES);
        client.writeFully(ByteBuffer.allocate(sent));
        silent.countDown();
        self.join().staySilent();
      }); PeerClient client = client(peer.port(), watchdog)) {
        self.complete(peer);
        CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> assertFault(Fault.NODE_LOST,
            "node n1 was silent for too long", () -> readAll(client, files(0, BYTES), BYTES)));
        silent.await();
        ticksUntil(watchdog, "the reader hears of it", reader::isDone);
        reader.join();
        assertThat(client.connections()).isZero();
      }
    }
  }

  @Test
  void aPeerThatHangsUpAnywhereInItsAnswerIsNamed() throws Exception {
    byte[] answer = answer(1, BYTES);
    for (int length = 0; length < answer.length; length++) {
      int sent = length;
      try (FakePeer peer = FakePeer.answering((client, _) -> client.writeFully(ByteBuffer.wrap(answer, 0, sent)));
          PeerClient client = client(peer.port(), PATIENT)) {
        assertFault(Fault.NODE_LOST, "node n1", () -> readAll(client, files(0, BYTES), BYTES));
      }
    }
  }

  @Test
  void everyFlippedBitOutsideTheDataIsNoticed() throws Exception {
    byte[] answer = answer(1, BYTES);
    int data = 2 * PeerProtocol.HEAD_BYTES;
    for (int bit = 0; bit < answer.length * 8; bit++) {
      if (bit / 8 >= data && bit / 8 < data + BYTES) {
        continue;                               // the filemap's checksums are for these
      }
      byte[] wrong = answer.clone();
      wrong[bit / 8] ^= (byte) (1 << bit % 8);
      try (FakePeer peer = FakePeer.answering((client, _) -> client.writeFully(ByteBuffer.wrap(wrong)));
          PeerClient client = client(peer.port(), PATIENT)) {
        assertThatExceptionOfType(ScrException.class).as("bit %d", bit)
            .isThrownBy(() -> readAll(client, files(0, BYTES), BYTES)).withMessageContaining("node n1");
      }
    }
  }

  @Test
  void aFrameThatIsTooLongForTheRangeOrForTheProtocolIsRefused() throws Exception {
    for (int bytes : new int[] {BYTES + 1, PeerProtocol.MAX_FRAME_BYTES + 1, Integer.MAX_VALUE, -1, 0}) {
      try (FakePeer peer = FakePeer.answering((client, request) -> start(client, request, bytes));
          PeerClient client = client(peer.port(), PATIENT)) {
        assertFault(Fault.CORRUPT, "node n1 breaks the protocol", () -> client.open(files(0, BYTES)));
        assertThat(client.connections()).isZero();
      }
    }
  }

  @Test
  void anAnswerToAnotherRequestIsRefused() throws Exception {
    try (FakePeer peer = FakePeer.answering((client, _) -> client.writeFully(ByteBuffer.wrap(answer(2, BYTES))));
        PeerClient client = client(peer.port(), PATIENT)) {
      assertFault(Fault.CORRUPT, "of answer 2", () -> client.open(files(0, BYTES)));
    }
  }

  @Test
  void whoeverIsBlockedOnANodeThatLeavesHearsItAtOnce() throws Exception {
    CountDownLatch stuck = new CountDownLatch(1);
    CompletableFuture<FakePeer> self = new CompletableFuture<>();
    try (FakePeer peer = FakePeer.answering((client, request) -> {
      start(client, request, BYTES);
      stuck.countDown();
      self.join().staySilent();
    }); PeerClient client = client(peer.port(), PATIENT)) {
      self.complete(peer);
      CompletableFuture<Void> reader = CompletableFuture.runAsync(() ->
          assertFault(Fault.NODE_LOST, "node n1 left the cluster", () -> readAll(client, files(0, BYTES), BYTES)));
      stuck.await();
      client.abort("n2");
      assertThat(reader.isDone()).as("another node's end is not its own").isFalse();
      client.abort("n1");
      reader.get(Eventually.PATIENCE_S, TimeUnit.SECONDS);
    }
  }

  @Test
  void whoeverIsBlockedWhenTheClientClosesHearsItAtOnce() throws Exception {
    CountDownLatch stuck = new CountDownLatch(1);
    CompletableFuture<FakePeer> self = new CompletableFuture<>();
    try (FakePeer peer = new FakePeer(_ -> {
      stuck.countDown();
      self.join().staySilent();
    })) {
      self.complete(peer);
      PeerClient client = client(peer.port(), PATIENT);
      CompletableFuture<Void> reader = CompletableFuture.runAsync(() ->
          assertFault(Fault.STOPPING, "this node is stopping", () -> client.open(files(0, BYTES))));
      stuck.await();
      client.close();
      reader.get(Eventually.PATIENCE_S, TimeUnit.SECONDS);
      assertFault(Fault.STOPPING, "this node is stopping", () -> client.open(files(0, BYTES)));
    }
  }

  @Test
  void aServerThatClosesEndsAnswersInTheirMiddle() throws Exception {
    TestNode node = new TestNode(directory, new Random(1), 1);
    try (PeerServer server = node.serve(PATIENT, 4); PeerClient client = client(server.port(), PATIENT);
        var stream = client.open(files(0, 1L << 40))) {     // far more than socket buffers hold
      stream.read(ByteBuffer.allocate(1000));
      server.close();
      assertFault(Fault.NODE_LOST, "node n1", () -> readOn(stream));
    }
    awaitNoneOpen(node);
  }

  @Test
  void aServerGivesUpOnAClientThatTakesNothing() throws Exception {
    PeerWatchdog watchdog = new PeerWatchdog(TICK_MS);
    TestNode node = new TestNode(directory, new Random(1), 40_000_000);
    try (PeerServer server = node.serve(watchdog, 4); PeerClient client = client(server.port(), PATIENT);
        var stream = client.open(files(0, 40_000_000))) {
      ticksUntil(watchdog, "files are given back", () -> node.open.get() == 0);
      assertFault(Fault.NODE_LOST, "node n1", () -> readOn(stream));
    }
  }

  @Test
  void aFileThatIsTooShortArrivesAsItsFault() throws Exception {
    for (int keep : new int[] {0, 1, 1_000_000, 2_999_999}) {
      TestNode node = new TestNode(Files.createTempDirectory(directory, "d"), new Random(1), 3_000_000);
      truncate(node, keep);
      try (PeerServer server = node.serve(PATIENT, 4); PeerClient client = client(server.port(), PATIENT)) {
        assertFault(Fault.FILE_CHANGED, "file.0 ends at byte ", () -> readAll(client, files(0, 3_000_000), 100_000));
        assertFault(Fault.FILE_CHANGED, "file.0 ends at byte ", () -> readAll(client, files(0, 3_000_010), 3_000_010));
      }
      awaitNoneOpen(node);
    }
  }

  @Test
  void aFileThatShrinksWhileItIsReadArrivesAsItsFault() throws Exception {
    TestNode node = new TestNode(directory, new Random(1), 64 << 20);
    try (PeerServer server = node.serve(PATIENT, 4); PeerClient client = client(server.port(), PATIENT);
        var stream = client.open(files(0, 64 << 20))) {
      stream.read(ByteBuffer.allocate(1));
      truncate(node, 100);
      assertFault(Fault.FILE_CHANGED, "node n1: " + node.pieces.getFirst().file(), () -> {
        for (int mebibyte = 1; mebibyte < 64; mebibyte++) {
          stream.read(ByteBuffer.allocate(1 << 20));
        }
      });
    }
    awaitNoneOpen(node);
  }

  @Test
  void aFileThatIsMissingArrivesAsItsFault() throws Exception {
    TestNode node = new TestNode(directory, new Random(1), 10, 10, 10);
    Files.delete(node.pieces.get(1).file());
    try (PeerServer server = node.serve(PATIENT, 4); PeerClient client = client(server.port(), PATIENT)) {
      assertThat(readAll(client, files(0, 10), 10)).isEqualTo(node.expected(0, 10));
      assertThat(readAll(client, files(20, 10), 10)).isEqualTo(node.expected(20, 10));
      assertFault(Fault.NO_SUCH_FILE, "file.1 does not exist", () -> readAll(client, files(0, 30), 30));
    }
  }

  @Test
  void aNodeThatIsNoMemberOrDoesNotListenIsNamed() throws Exception {
    // a port that is taken, so that nobody else listens there, and on which nobody listens
    try (SocketChannel bound = SocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
        PeerClient client = client(bound.socket().getLocalPort(), PATIENT)) {
      assertFault(Fault.NODE_LOST, "node n1 is lost", () -> client.open(files(0, 1)));
    }
    try (PeerClient client = new PeerClient(TestNode.SECURITY, _ -> null, PATIENT)) {
      assertFault(Fault.NODE_LOST, "node n9 is not in the cluster",
          () -> client.open(new RangeRequest("n9", 7, 3, RangeRequest.RangeKind.FILES, 0, 1)));
      assertThat(client.connections()).isZero();
    }
  }

  private static void start(PeerChannel client, PeerProtocol.Request request, int bytes) throws IOException {
    FakePeer.head(client, request.number(), 0, 0);
    FakePeer.head(client, request.number(), 1, bytes);
  }

  /** A right answer of one frame. */
  private static byte[] answer(int number, int bytes) {
    ByteBuffer answer = ByteBuffer.allocate(3 * PeerProtocol.HEAD_BYTES + bytes);
    PeerProtocol.putHead(answer, new PeerProtocol.Head(number, 0, 0, 0, 0));
    PeerProtocol.putHead(answer, new PeerProtocol.Head(number, 1, bytes, 0, 0));
    answer.put(new byte[bytes]);
    PeerProtocol.putHead(answer, new PeerProtocol.Head(number, 2, 0, 0, 0));
    return answer.array();
  }

  private static void readOn(RangeStream stream) {
    for (int mebibyte = 0; mebibyte < 35; mebibyte++) {
      stream.read(ByteBuffer.allocate(1 << 20));
    }
  }

  private static void truncate(TestNode node, int keep) throws IOException {
    OpenRange.Piece piece = node.pieces.getFirst();
    try (FileChannel file = FileChannel.open(piece.file(), StandardOpenOption.WRITE)) {
      file.truncate(piece.offset() + keep);
    }
  }

  private static void assertFault(Fault fault, String message, Runnable call) {
    assertThatExceptionOfType(ScrException.class).isThrownBy(call::run)
        .withMessageContaining(message).extracting(ScrException::fault).isEqualTo(fault);
  }
}
