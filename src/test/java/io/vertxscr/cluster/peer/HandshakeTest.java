package io.vertxscr.cluster.peer;

import static io.vertxscr.cluster.peer.TestNode.PATIENT;
import static io.vertxscr.cluster.peer.TestNode.SECRET;
import static io.vertxscr.cluster.peer.TestNode.client;
import static io.vertxscr.cluster.peer.TestNode.files;
import static io.vertxscr.cluster.peer.TestNode.info;
import static io.vertxscr.cluster.peer.TestNode.readAll;
import static io.vertxscr.cluster.peer.TestNode.ticksUntil;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: nobody without the secret gets a byte or holds a thread. No client reads from whom it does not mean. */
@Timeout(120)
class HandshakeTest {
  private static final int TICK_MS = 5_000;
  private static final ClusterSecret OTHER = TestNode.secret("the secret of another cluster");

  @TempDir Path directory;
  private TestNode node;

  @BeforeEach
  void makeFiles() throws Exception {
    node = new TestNode(directory, new Random(1), 1000);
  }

  @Test
  void aClientWithAnotherSecretIsRefused() {
    try (PeerServer server = node.serve(PATIENT, 4);
        PeerClient client = new PeerClient(OTHER, name -> info(name, server.port()), PATIENT)) {
      assertFault(Fault.NOT_AUTHORIZED, "node n1 does not accept this node's secret", client);
      assertThat(client.connections()).isZero();
    }
  }

  @Test
  void aServerThatTakesAnyClientButDoesNotKnowTheSecretIsRefused() throws Exception {
    try (FakePeer peer = new FakePeer(client -> {
      client.writeFully(ByteBuffer.allocate(40).putInt(PeerProtocol.MAGIC).putShort((short) 1).clear());
      client.readFully(ByteBuffer.allocate(72 + 2));
      client.writeFully(ByteBuffer.allocate(40).putInt(PeerProtocol.MAGIC).clear());
    }); PeerClient client = client(peer.port(), PATIENT)) {
      assertFault(Fault.NOT_AUTHORIZED, "node n1 does not know the secret", client);
    }
  }

  @Test
  void aServerThatReturnsTheClientsOwnProofIsRefused() throws Exception {
    try (FakePeer peer = new FakePeer(client -> {
      client.writeFully(ByteBuffer.allocate(40).putInt(PeerProtocol.MAGIC).putShort((short) 1).clear());
      ByteBuffer hello = ByteBuffer.allocate(72 + 2);
      client.readFully(hello);
      client.writeFully(
          ByteBuffer.allocate(40).putInt(PeerProtocol.MAGIC).putInt(0).put(hello.array(), 40, 32).clear());
    }); PeerClient client = client(peer.port(), PATIENT)) {
      assertFault(Fault.NOT_AUTHORIZED, "node n1 does not know the secret", client);
    }
  }

  @Test
  void anotherNodeAtTheSameAddressIsNotTakenForTheOneThatIsMeant() {
    try (PeerServer server = node.serve(PATIENT, 4); PeerClient client = client(server.port(), PATIENT)) {
      assertThatExceptionOfType(ScrException.class)
          .isThrownBy(() -> client.open(new RangeRequest("n2", 7, 3, RangeRequest.RangeKind.FILES, 0, 1)))
          .withMessageContaining("node n2 is gone: another node answers")
          .extracting(ScrException::fault).isEqualTo(Fault.NODE_LOST);
    }
  }

  @Test
  void anotherVersionAndAnotherProtocolAreNamed() throws Exception {
    try (FakePeer peer = new FakePeer(client ->
        client.writeFully(ByteBuffer.allocate(40).putInt(PeerProtocol.MAGIC).putShort((short) 9).clear()));
        PeerClient client = client(peer.port(), PATIENT)) {
      assertFault(Fault.BAD_REQUEST, "node n1 speaks version 9", client);
    }
    try (FakePeer peer = new FakePeer(client -> client.writeFully(ByteBuffer.wrap(
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII))));
        PeerClient client = client(peer.port(), PATIENT)) {
      assertFault(Fault.CORRUPT, "node n1 does not speak the protocol", client);
    }
  }

  @Test
  void everyFlippedBitOfAHelloIsRefused() throws Exception {
    try (PeerServer server = node.serve(PATIENT, 64)) {
      for (int bit = -1; bit < (72 + 2) * 8; bit++) {
        try (SocketChannel socket = SocketChannel.open(new InetSocketAddress("127.0.0.1", server.port()))) {
          byte[] hello = hello(read(socket, 40));
          if (bit >= 0) {
            hello[bit / 8] ^= (byte) (1 << bit % 8);
          }
          socket.write(ByteBuffer.wrap(hello));
          socket.shutdownOutput();
          assertThat(accepts(socket)).as("bit %d", bit).isEqualTo(bit < 0);
        }
      }
      assertServes(server);
    }
  }

  @Test
  void aClientThatNeverFinishesItsHelloIsHungUpOn() throws Exception {
    PeerWatchdog watchdog = new PeerWatchdog(TICK_MS);
    try (PeerServer server = node.serve(watchdog, 3)) {
      List<SocketChannel> halfOpen = new ArrayList<>();
      for (int bytes : new int[] {0, 1, 73}) {
        SocketChannel socket = SocketChannel.open(new InetSocketAddress("127.0.0.1", server.port()));
        halfOpen.add(socket);
        socket.write(ByteBuffer.wrap(hello(read(socket, 40)), 0, bytes));
      }
      assertThat(server.connections()).isEqualTo(3);
      ticksUntil(watchdog, "no connection", () -> server.connections() == 0);
      for (SocketChannel socket : halfOpen) {
        assertThat(endOf(socket)).isTrue();
        socket.close();
      }
      assertServes(server);
    }
  }

  @Test
  void anIdleConnectionIsHungUpOnAndItsClientDoesNotNotice() throws Exception {
    PeerWatchdog watchdog = new PeerWatchdog(TICK_MS);
    try (PeerServer server = node.serve(watchdog, 1); PeerClient client = client(server.port(), PATIENT)) {
      for (int round = 0; round < 2; round++) {
        assertThat(readAll(client, files(0, 1000), 1000)).isEqualTo(node.content);
        assertThat(server.connections()).isEqualTo(1);
        ticksUntil(watchdog, "no connection", () -> server.connections() == 0);
      }
    }
  }

  @Test
  void oneConnectionTooManyIsRefusedAndServedWhenOthersHaveGone() throws Exception {
    try (PeerServer server = node.serve(PATIENT, 2); PeerClient client = client(server.port(), PATIENT)) {
      try (var _ = client.open(files(0, 1000)); var _ = client.open(files(0, 1000))) {
        assertFault(Fault.BUSY, "node n1 serves as many connections as it may", client);
      }
      Eventually.holds("no connection", () -> server.connections() == 0);
      assertServes(server);
    }
  }

  @Test
  void aSecretIsLongEnoughAndNotShown() {
    assertThatExceptionOfType(ScrException.class).isThrownBy(() -> new ClusterSecret(new byte[15]))
        .extracting(ScrException::fault).isEqualTo(Fault.BAD_CONFIGURATION);
    assertThat(new PeerServer.ServerSettings("n1", "h", 0, SECRET).toString()).contains("hidden");
  }

  private void assertServes(PeerServer server) {
    try (PeerClient client = client(server.port(), PATIENT)) {
      assertThat(readAll(client, files(0, 1000), 1000)).isEqualTo(node.content);
    }
  }

  private static void assertFault(Fault fault, String message, PeerClient client) {
    assertThatExceptionOfType(ScrException.class).isThrownBy(() -> client.open(files(0, 1000)))
        .withMessageContaining(message).extracting(ScrException::fault).isEqualTo(fault);
  }

  /** The hello of a client that knows the secret, written down here a second time. */
  private static byte[] hello(byte[] greeting) {
    byte[] serverNonce = Arrays.copyOfRange(greeting, 8, 40);
    byte[] clientNonce = new byte[32];
    byte[] name = {'n', '1'};
    byte[] proof = SECRET.proof("scr-peer-client ".getBytes(StandardCharsets.US_ASCII), serverNonce, clientNonce, name);
    return ByteBuffer.allocate(74).put(new byte[] {'S', 'C', 'R', 'P', 0, 1, 0, 2})
        .put(clientNonce).put(proof).put(name).array();
  }

  private static byte[] read(SocketChannel socket, int count) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(count);
    while (bytes.hasRemaining() && socket.read(bytes) >= 0) {
      // until it is full
    }
    return bytes.array();
  }

  private static boolean accepts(SocketChannel socket) {
    try {
      byte[] verdict = read(socket, 40);
      return ByteBuffer.wrap(verdict).getLong() == (long) PeerProtocol.MAGIC << 32;
    } catch (IOException _) {
      return false;                             // reset: refused as well
    }
  }

  private static boolean endOf(SocketChannel socket) {
    try {
      return socket.read(ByteBuffer.allocate(1)) < 0;
    } catch (IOException _) {
      return true;
    }
  }
}
