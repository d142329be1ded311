package io.vertxscr.cluster.peer;

import static io.vertxscr.cluster.peer.TestNode.PATIENT;
import static io.vertxscr.cluster.peer.TestNode.client;
import static io.vertxscr.cluster.peer.TestNode.files;
import static io.vertxscr.cluster.peer.TestNode.readAll;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the server goes on serving others after any bytes of a client. Method: noise before and after handshakes. */
@Timeout(120)
class PeerServerFuzzTest {
  private static final int ROUNDS = 300;

  @TempDir Path directory;

  @Test
  void noiseInsteadOfRequestsHurtsNobodyElse() throws Exception {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("PeerServerFuzzTest seed " + seed);
    Random random = new Random(seed);
    TestNode node = new TestNode(directory, random, 100_000, 0, 5);
    try (PeerServer server = node.serve(PATIENT, 512); PeerClient other = client(server.port(), PATIENT);
        PeerWatchdog watchdog = new PeerWatchdog(250)) {
      var address = new InetSocketAddress("127.0.0.1", server.port());
      for (int round = 0; round < ROUNDS; round++) {
        try (PeerChannel noisy = connect(address, watchdog)) {
          if (round % 4 != 0) {
            Handshake.join(noisy, TestNode.SECURITY, "n1");
          }
          noisy.writeFully(ByteBuffer.wrap(noise(random)));
        } catch (IOException _) {
          // hung up on in its middle, as it may be
        }
        if (round % 10 == 0) {
          assertThat(readAll(other, files(0, 100_005), 50_000)).as("seed %d", seed).isEqualTo(node.content);
        }
      }
      Eventually.holds("the noisy ones are gone", () -> server.connections() <= 1 && node.open.get() == 0);
      assertThat(readAll(other, files(0, 100_005), 50_000)).as("seed %d", seed).isEqualTo(node.content);
    }
  }

  @Test
  void everyFlippedBitOfARequestIsAnsweredOrRefused() throws Exception {
    TestNode node = new TestNode(directory, new Random(1), 100);
    try (PeerServer server = node.serve(PATIENT, 512); PeerClient other = client(server.port(), PATIENT);
        PeerWatchdog watchdog = new PeerWatchdog(250)) {
      var address = new InetSocketAddress("127.0.0.1", server.port());
      for (int bit = 0; bit < PeerProtocol.REQUEST_BYTES * 8; bit++) {
        byte[] request = request(1, 100);
        request[bit / 8] ^= (byte) (1 << bit % 8);
        try (PeerChannel client = connect(address, watchdog)) {
          Handshake.join(client, TestNode.SECURITY, "n1");
          client.writeFully(ByteBuffer.wrap(request));
          ByteBuffer head = ByteBuffer.allocate(PeerProtocol.HEAD_BYTES);
          client.readFully(head);
          PeerProtocol.Head first = PeerProtocol.getHead(head.flip());
          boolean inForm = bit < 4 * 8 || (bit >= 8 * 8 && bit < 12 * 8);
          if (inForm && bit / 8 != 9) {
            assertThat(first.status()).as("bit %d", bit).isNotZero();
          }
        }
      }
      assertThat(readAll(other, files(0, 100), 100)).isEqualTo(node.content);
    }
  }

  private static PeerChannel connect(InetSocketAddress address, PeerWatchdog watchdog) throws IOException {
    PeerChannel channel = new PeerChannel("server", SocketChannel.open(), watchdog);
    channel.connect(address, PATIENT.connectMs());
    return channel;
  }

  /** Bytes of no meaning at all, or a right request with some of them wrong, or many requests at once. */
  private static byte[] noise(Random random) {
    byte[] noise;
    if (random.nextBoolean()) {
      noise = new byte[random.nextInt(200)];
      random.nextBytes(noise);
      return noise;
    }
    ByteBuffer requests = ByteBuffer.allocate(PeerProtocol.REQUEST_BYTES * (1 + random.nextInt(5)));
    for (int number = 1; requests.hasRemaining(); number++) {
      requests.put(request(number, random.nextInt(200_000)));
    }
    noise = requests.array();
    for (int wrong = random.nextInt(4); wrong > 0; wrong--) {
      noise[random.nextInt(noise.length)] = (byte) random.nextInt();
    }
    return noise;
  }

  private static byte[] request(int number, int bytes) {
    ByteBuffer request = ByteBuffer.allocate(PeerProtocol.REQUEST_BYTES);
    PeerProtocol.putRequest(request, number, files(0, bytes));
    return request.array();
  }
}
