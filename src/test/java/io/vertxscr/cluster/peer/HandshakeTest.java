package io.vertxscr.cluster.peer;

import static io.vertxscr.cluster.peer.TestNode.PATIENT;
import static io.vertxscr.cluster.peer.TestNode.client;
import static io.vertxscr.cluster.peer.TestNode.files;
import static io.vertxscr.cluster.peer.TestNode.info;
import static io.vertxscr.cluster.peer.TestNode.readAll;
import static io.vertxscr.cluster.peer.TestNode.ticksUntil;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertxscr.cluster.peer.PeerServer.ServerSettings;
import io.vertxscr.cluster.tls.ClusterAuthority;
import io.vertxscr.cluster.tls.Credentials;
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
  private static final int RELAYED_BYTES = 4000;
  private static final PeerSecurity OTHER = new PeerSecurity(Credentials.ofOwn(), TrustedNetworks.NONE);

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
      assertFault(Fault.NOT_AUTHORIZED, "node n1 and this node are not of one cluster", client);
      assertThat(client.connections()).isZero();
    }
  }

  /** The client ends its side of TLS before the server has judged its certificate. */
  @Test
  void aClientThatTrustsTheServerButIsOfAnotherClusterGetsNothing() throws Exception {
    PeerSecurity trusting = new PeerSecurity(Credentials.of(List.of(ofKey(2), ofKey(1))), TrustedNetworks.NONE);
    PeerSecurity strict = new PeerSecurity(Credentials.of(List.of(ofKey(1))), TrustedNetworks.NONE);
    try (PeerServer server = new PeerServer(
        new ServerSettings("n1", "127.0.0.1", 0, strict, PATIENT, 4), node);
        PeerClient client = new PeerClient(trusting, name -> info(name, server.port()), PATIENT)) {
      assertThatExceptionOfType(ScrException.class).isThrownBy(() -> client.open(files(0, 1000)))
          .extracting(ScrException::fault).isIn(Fault.NOT_AUTHORIZED, Fault.NODE_LOST);
      Eventually.holds("no connection", () -> server.connections() == 0);
      assertThat(node.open.get()).isZero();
    }
  }

  @Test
  void aServerWithAnotherSecretAndOneWithoutTlsAreRefused() throws Exception {
    try (PeerServer server = node.serve(PATIENT, 4);
        PeerClient client = new PeerClient(OTHER, name -> info(name, server.port()), PATIENT)) {
      assertFault(Fault.NOT_AUTHORIZED, "node n1 and this node are not of one cluster", client);
    }
    try (FakePeer peer = new FakePeer(client -> {
      client.writeFully(ByteBuffer.allocate(1000).putInt(PeerProtocol.MAGIC)
          .putShort((short) PeerProtocol.VERSION).clear());
      client.readFully(ByteBuffer.allocate(100));
    }); PeerClient client = client(peer.port(), PATIENT)) {
      assertFault(Fault.NOT_AUTHORIZED, "node n1 and this node are not of one cluster", client);
    }
  }

  /** Method: a relay that flips one bit of what the server says, at many places; never are other bytes handed out. */
  @Test
  void whoChangesABitOnItsWayIsFoundOut() throws Exception {
    try (PeerServer server = node.serve(PATIENT, 64)) {
      int noticed = 0;
      for (int at = 0; at < RELAYED_BYTES; at += 97) {
        try (Relay relay = new Relay(server.port(), at); PeerClient client = client(relay.port(), PATIENT)) {
          assertThat(readAll(client, files(0, 1000), 1000)).as("byte %d", at).isEqualTo(node.content);
        } catch (ScrException _) {
          noticed++;
        }
      }
      assertThat(noticed).isGreaterThan(20);
    }
  }

  @Test
  void onATrustedNetworkBytesAreSentPlainWhereBothSaySoAndEncryptedWhereOneDoesNot() throws Exception {
    Credentials credentials = TestNode.SECURITY.credentials();
    for (boolean byServer : new boolean[] {true, false}) {
      for (boolean byClient : new boolean[] {true, false}) {
        try (PeerServer server = new PeerServer(new ServerSettings(
            "n1", "127.0.0.1", 0, new PeerSecurity(credentials, loopback(byServer)), PATIENT, 4), node);
            Relay relay = new Relay(server.port(), Integer.MAX_VALUE);
            PeerClient client = new PeerClient(
                new PeerSecurity(credentials, loopback(byClient)), name -> info(name, relay.port()), PATIENT)) {
          for (int time = 0; time < 2; time++) {
            assertThat(readAll(client, files(0, 1000), 300)).isEqualTo(node.content);
          }
          assertThat(relay.saw(node.content)).as("%s %s", byServer, byClient).isEqualTo(byServer && byClient);
        }
      }
    }
  }

  private static TrustedNetworks loopback(boolean trusted) {
    return TrustedNetworks.of(trusted ? List.of("127.0.0.0/8") : List.of());
  }

  private static ClusterAuthority ofKey(int number) {
    byte[] key = new byte[ClusterAuthority.KEY_BYTES];
    key[0] = (byte) number;
    return ClusterAuthority.ofRandomKey(key);
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
  void aClientThatNeverFinishesItsHelloIsHungUpOn() throws Exception {
    try (PeerServer server = node.serve(new PeerTimeouts(60_000, 2_000, 60_000, 60_000), 3)) {
      List<SocketChannel> halfOpen = new ArrayList<>();
      for (int bytes : new int[] {0, 1, 5}) {             // of a record of TLS: handshake, 512 bytes
        SocketChannel socket = SocketChannel.open(new InetSocketAddress("127.0.0.1", server.port()));
        halfOpen.add(socket);
        read(socket, Handshake.GREETING_BYTES);
        socket.write(ByteBuffer.wrap(new byte[] {22, 3, 1, 2, 0}, 0, bytes));
      }
      Eventually.holds("no connection", () -> server.connections() == 0);
      for (SocketChannel socket : halfOpen) {
        assertThat(endOf(socket)).isTrue();
        socket.close();
      }
      assertServes(server);
    }
  }

  @Test
  void silentConnectionsMakeRoomForWhoProvesItself() throws Exception {
    List<SocketChannel> silent = new ArrayList<>();
    try (PeerServer server = node.serve(new PeerWatchdog(TICK_MS), 2)) {
      for (int i = 0; i < 5; i++) {
        silent.add(SocketChannel.open(new InetSocketAddress("127.0.0.1", server.port())));
        read(silent.getLast(), Handshake.GREETING_BYTES);
      }
      assertThat(endOf(silent.get(2))).isTrue();
      assertServes(server);
    } finally {
      for (SocketChannel socket : silent) {
        socket.close();
      }
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
  void keysAreNotShown() {
    assertThat(new ServerSettings("n1", "h", 0, TestNode.SECURITY).toString()).contains("hidden");
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

  private static byte[] read(SocketChannel socket, int count) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(count);
    while (bytes.hasRemaining() && socket.read(bytes) >= 0) {
      // until it is full
    }
    return bytes.array();
  }

  private static boolean endOf(SocketChannel socket) {
    try {
      return socket.read(ByteBuffer.allocate(1)) < 0;
    } catch (IOException _) {
      return true;
    }
  }
}
