package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import io.vertxscr.client.Output;
import io.vertxscr.client.Scr;
import io.vertxscr.client.ScrOptions;
import io.vertxscr.cluster.EventBusNodeBus;
import io.vertxscr.cluster.HazelcastConfig;
import io.vertxscr.cluster.LocalPorts;
import io.vertxscr.cluster.tls.ClusterAuthority;
import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.cluster.tls.SecuredNodeContext;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import io.vertxscr.node.ClusteredNode;
import io.vertxscr.node.NodeOptions;
import io.vertxscr.protocol.Wire;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.Takeover;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: whoever is not of the cluster changes nothing, and learns nothing. Method: two daemons in this process, as
 * members of a real cluster with all of their ports; after each attack a checkpoint goes from both into the cache.
 */
@Timeout(120)
class ClusterAttackTest {
  private static final byte[] KEY = new byte[ClusterAuthority.KEY_BYTES];
  private static final List<ClusteredNode> NODES = new ArrayList<>();
  @TempDir private static Path directory;
  private static List<Integer> ports;
  private static List<Integer> busPorts;

  @BeforeAll
  static void start() throws IOException {
    ports = LocalPorts.free(6);
    busPorts = ports.subList(3, 6);
    NODES.add(start(0, KEY));
    NODES.add(start(1, KEY));
    assertThat(NODES.get(1).members()).containsExactlyInAnyOrder("n0", "n1");
  }

  @AfterAll
  static void stop() {
    NODES.reversed().forEach(ClusteredNode::close);
  }

  @AfterEach
  void aCheckpointIsStillMade() throws Exception {
    Path prefix = Files.createTempDirectory(directory, "p");
    try (ExecutorService ranks = Executors.newFixedThreadPool(2)) {
      List<Callable<Void>> programs = List.of(() -> checkpoint(0, prefix), () -> checkpoint(1, prefix));
      for (Future<Void> rank : ranks.invokeAll(programs)) {
        rank.get();
      }
    }
  }

  private static Void checkpoint(int rank, Path prefix) throws IOException {
    try (Scr scr = Scr.open(new ScrOptions(NODES.get(rank).socket(), rank, 2, prefix, "attacked"))) {
      try (Output checkpoint = scr.startCheckpoint("c")) {
        Files.write(checkpoint.route(prefix.resolve("rank-" + rank).toString()), new byte[100_000]);
        checkpoint.complete(true);
      }
      scr.finish();
    }
    return null;
  }

  private static ClusteredNode start(int number, byte[] key) {
    Settings settings = Settings.load(Map.of("SCR_CNTL_BASE", directory + "/c", "SCR_CACHE_BASE", directory + "/k",
        "SCR_USER_NAME", "u", "SCR_JOB_ID", "1", "SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "0"), Optional.empty());
    NodeOptions node = new NodeOptions("n" + number, settings,
        Credentials.of(List.of(ClusterAuthority.ofRandomKey(key))), "127.0.0.1", 0, false);
    return ClusteredNode.start(new ClusteredNode.Options(node, new HazelcastConfig.Network("attacked", "127.0.0.1",
        ports.get(number), ports.subList(0, 3).stream().map(port -> "127.0.0.1:" + port).toList()),
        busPorts.get(number), Optional.empty(), Optional.empty()));
  }

  @Test
  void aDaemonWithAnotherSecretIsRefusedAndSaysSo() {
    byte[] other = KEY.clone();
    other[31] = 1;
    assertThatExceptionOfType(ScrException.class).isThrownBy(() -> start(2, other))
        .withMessageContaining("has another secret than this one")
        .extracting(ScrException::fault).isEqualTo(Fault.NOT_AUTHORIZED);
    assertThat(NODES.getFirst().members()).containsExactlyInAnyOrder("n0", "n1");
  }

  /** A frame of 2 GiB once ended the process; now its length is no record of TLS. */
  @Test
  void rawBytesAtEachPortOfTheClusterGetAnAlertAtMost() throws Exception {
    byte[] large = new byte[1 << 20];
    ByteBuffer.wrap(large).putInt(0x7ffffff0);
    for (byte[] bytes : List.of(large, "HZC\0\0\0\0\0".getBytes(StandardCharsets.US_ASCII),
        "GET /metrics HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII))) {
      for (int port : List.of(ports.getFirst(), busPorts.getFirst())) {
        assertThat(answer(port, bytes)).as("port %d", port).hasSizeLessThan(16);
      }
    }
  }

  /** A member that is a node by its name: it has the secret, and claims any epoch, but does not lead. */
  @Test
  void leadersCommandsOfAMemberThatDoesNotLeadAreRefused() {
    Credentials credentials = Credentials.of(List.of(ClusterAuthority.ofRandomKey(KEY)));
    HazelcastConfig.Network network = new HazelcastConfig.Network("attacked", "127.0.0.1", ports.get(2),
        List.of("127.0.0.1:" + ports.getFirst()));
    HazelcastInstance member = HazelcastInstanceFactory.newHazelcastInstance(
        HazelcastConfig.of(network, new NodeInfo("rogue", "h", "127.0.0.1", 1)), "rogue",
        new SecuredNodeContext(credentials));
    Vertx vertx = Vertx.builder().with(new VertxOptions().setEventBusOptions(
        credentials.secure(new EventBusOptions().setHost("127.0.0.1"))))
        .withClusterManager(new HazelcastClusterManager(member)).buildClustered().await();
    try {
      for (NodeVerb verb : NodeVerb.values()) {
        if (verb.isFromLeader()) {
          assertRefused(vertx, verb, new DeliveryOptions());
          for (String epoch : List.of("1 rogue/1", "999999999 rogue/1", "999999999 n0/1")) {
            assertRefused(vertx, verb, new DeliveryOptions().addHeader(EventBusNodeBus.EPOCH, epoch));
          }
        }
      }
      Buffer takeover = Buffer.buffer(Wire.toBytes(new Takeover("rogue", 999, "rogue/1")));
      assertThatExceptionOfType(ReplyException.class)
          .isThrownBy(() -> vertx.eventBus().request(NodeVerb.TAKEOVER.address("n1"), takeover).await())
          .satisfies(e -> assertThat(Fault.of(e.failureCode())).isEqualTo(Fault.NOT_LEADER));
      assertThat(NODES.getFirst().members()).contains("n0", "n1", "rogue");
    } finally {
      vertx.close().await();
      member.shutdown();
    }
  }

  private static void assertRefused(Vertx vertx, NodeVerb verb, DeliveryOptions options) {
    assertThatExceptionOfType(ReplyException.class).as("%s", verb)
        .isThrownBy(() -> vertx.eventBus().request(verb.address("n1"), Buffer.buffer("{}"), options).await())
        .satisfies(e -> assertThat(Fault.of(e.failureCode())).as("%s", verb).isEqualTo(Fault.NOT_LEADER));
  }

  private static byte[] answer(int port, byte[] bytes) throws IOException {
    byte[] answer = new byte[64];
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port), 10_000);
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(bytes);
      return Arrays.copyOf(answer, socket.getInputStream().readNBytes(answer, 0, answer.length));
    } catch (SocketException _) {
      return new byte[0];                                 // reset before all was sent
    }
  }
}
