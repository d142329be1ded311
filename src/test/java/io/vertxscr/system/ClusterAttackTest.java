package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertxscr.client.Output;
import io.vertxscr.client.Scr;
import io.vertxscr.client.ScrOptions;
import io.vertxscr.cluster.EventBusNodeBus;
import io.vertxscr.cluster.tls.ClusterAuthority;
import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.cluster.tls.TlsClient;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.node.ClusteredNode;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.JoinRun;
import io.vertxscr.protocol.node.run.Takeover;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
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
import javax.net.ssl.SSLEngine;
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
  private static MembersHere members;

  @BeforeAll
  static void start() throws IOException {
    members = new MembersHere("attacked", 3);
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
    return members.start(number, "n" + number, Map.of("SCR_CNTL_BASE", directory + "/c", "SCR_CACHE_BASE",
        directory + "/k", "SCR_USER_NAME", "u", "SCR_JOB_ID", "1", "SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "0"),
        List.of(ClusterAuthority.ofRandomKey(key)));
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
      for (int port : List.of(members.ports().getFirst(), members.busPort(0))) {
        assertThat(answer(port, bytes)).as("port %d", port).hasSizeLessThan(16);
      }
    }
  }

  /**
   * Once with any epoch and name of its own; once as a takeover in the leader's name, with the key that the leader
   * announces; once with the name of the leadership, which all nodes know, and a number so high that the leader's own
   * commands would be refused. After the test both nodes obey the leader.
   */
  @Test
  void leadersCommandsOfAMemberThatDoesNotLeadAreRefused() throws IOException {
    try (RogueMember rogue = rogue()) {
      for (NodeVerb verb : NodeVerb.values()) {
        if (verb.isFromLeader()) {
          assertRefused(rogue, verb, new DeliveryOptions());
          for (String epoch : List.of("1 rogue/1", "999999999 rogue/1", "999999999 n0/1")) {
            assertRefused(rogue, verb, new DeliveryOptions().addHeader(EventBusNodeBus.EPOCH, epoch));
          }
        }
      }
      for (DeliveryOptions options : List.of(new DeliveryOptions(),
          new DeliveryOptions().addHeader("scr-sender", rogue.keyOfLeader()))) {
        for (Takeover takeover : List.of(new Takeover("rogue", 999, "rogue/1"), new Takeover("n0", 999, "n0/1"))) {
          assertThat(rogue.refusal("n1", NodeVerb.TAKEOVER, RogueMember.body(takeover), options)).as("%s", takeover)
              .isEqualTo(Fault.NOT_LEADER);
        }
        assertRefused(rogue, NodeVerb.DROP, options.addHeader(EventBusNodeBus.EPOCH, "999 n0/1"));
      }
      String raised = "999999999999 " + rogue.leadership();
      assertThat(raised).contains(" n0/");
      for (NodeVerb verb : List.of(NodeVerb.PROTECT, NodeVerb.INVENTORY)) {
        assertRefused(rogue, verb, new DeliveryOptions().addHeader(EventBusNodeBus.EPOCH, raised));
      }
    }
  }

  /** A member announces a message of 2 GiB; once it was kept as far as it came. */
  @Test
  void aMemberThatSendsATooLongMessageIsHungUpOn() throws Exception {
    SSLEngine engine = Credentials.of(List.of(ClusterAuthority.ofRandomKey(KEY))).engine(true);
    try (SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", members.busPort(1)))) {
      TlsClient member = new TlsClient(channel, engine);
      member.write(ByteBuffer.allocate(100).putInt(0, 0x7ffffff0));
      member.readToTheEnd();                              // without an end it would wait there
    }
  }

  private static void assertRefused(RogueMember rogue, NodeVerb verb, DeliveryOptions options) {
    assertThat(rogue.refusal("n1", verb, Buffer.buffer("{}"), options)).as("%s", verb).isEqualTo(Fault.NOT_LEADER);
  }

  private static RogueMember rogue() throws IOException {
    RogueMember rogue = new RogueMember("attacked", Credentials.of(List.of(ClusterAuthority.ofRandomKey(KEY))),
        members.ports().subList(0, 1));
    assertThat(rogue.nodes()).contains("n0", "n1", RogueMember.NAME);
    return rogue;
  }

  /** Of another program, and of the one that begins next; and in the name of another node. */
  @Test
  void ranksThatAMemberSaysWaitKeepNoRunFromBeginning() throws Exception {
    try (RogueMember rogue = rogue()) {
      assertThat(rogue.refusal("n0", NodeVerb.JOIN, join("n1", "attacked", 2), new DeliveryOptions()))
          .isEqualTo(Fault.NOT_LEADER);
      for (String job : List.of("another", "attacked")) {
        rogue.ask("n0", NodeVerb.JOIN, join(RogueMember.NAME, job, 5));
        aCheckpointIsStillMade();
      }
    }
  }

  private static Buffer join(String node, String job, int ranks) {
    return RogueMember.body(
        new JoinRun(node, "n0", directory.toString(), job, ranks, List.of(0, 1), Optional.empty(), 0));
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
