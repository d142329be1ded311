package io.vertxscr.cluster.tls;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import io.vertxscr.model.Limits;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: whoever does not know the secret is no member, and gets no byte of Hazelcast. */
@Timeout(120)
class SecuredMembersTest {
  private final List<HazelcastInstance> members = new ArrayList<>();

  private static Credentials secrets(int... numbers) {
    return Credentials.of(Arrays.stream(numbers).mapToObj(number -> {
      byte[] key = new byte[ClusterAuthority.KEY_BYTES];
      key[0] = (byte) number;
      return ClusterAuthority.ofRandomKey(key);
    }).toList());
  }

  private static Config config(HazelcastInstance... others) {
    Config config = new Config().setClusterName("c");
    config.setProperty("hazelcast.phone.home.enabled", "false").setProperty("hazelcast.logging.type", "slf4j")
        .setProperty("hazelcast.shutdownhook.enabled", "false").setProperty("hazelcast.wait.seconds.before.join", "0")
        .setProperty("hazelcast.socket.bind.any", "false");
    config.getNetworkConfig().setPort(0).setPortAutoIncrement(false).setPublicAddress("127.0.0.1");
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
    config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
    config.getNetworkConfig().getJoin().getTcpIpConfig().setEnabled(true).setConnectionTimeoutSeconds(1)
        .setMembers(Stream.of(others).map(other -> "127.0.0.1:" + port(other)).toList());
    return config;
  }

  private HazelcastInstance start(SecuredNodeContext context, HazelcastInstance... others) {
    HazelcastInstance member =
        HazelcastInstanceFactory.newHazelcastInstance(config(others), "m" + members.size(), context);
    members.add(member);
    return member;
  }

  private HazelcastInstance start(Credentials credentials, HazelcastInstance... others) {
    return start(new SecuredNodeContext(credentials), others);
  }

  private static int port(HazelcastInstance member) {
    return member.getCluster().getLocalMember().getAddress().getPort();
  }

  @AfterEach
  void end() {
    members.forEach(member -> member.getLifecycleService().terminate());
  }

  @Test
  void membersOfOneSecretFormAClusterAndSendEachOtherMoreThanARecord() {
    HazelcastInstance a = start(secrets(1));
    HazelcastInstance b = start(secrets(1), a);
    HazelcastInstance c = start(secrets(1), a, b);

    assertThat(c.getCluster().getMembers()).hasSize(3);
    String value = "v".repeat(3_000_000);
    c.getMap("m").put("k", value);
    assertThat(a.getMap("m").get("k")).isEqualTo(value);
    assertThat(b.getMap("m").get("k")).isEqualTo(value);
  }

  @Test
  void aMemberOfAnotherSecretStaysOutsideAndKnowsWhy() {
    HazelcastInstance a = start(secrets(1));
    SecuredNodeContext context = new SecuredNodeContext(secrets(2));
    HazelcastInstance other = start(context, a);

    assertThat(a.getCluster().getMembers()).hasSize(1);
    assertThat(other.getCluster().getMembers()).hasSize(1);
    assertThat(context.unlike()).hasValueSatisfying(address -> assertThat(address).endsWith(":" + port(a)));
  }

  /** Old, both with the old one first, both with the new one first, new: neighbours in this row live together. */
  @Test
  void aSecretIsReplacedNodeByNode() {
    HazelcastInstance old = start(secrets(1));
    HazelcastInstance both = start(secrets(1, 2), old);
    assertThat(both.getCluster().getMembers()).hasSize(2);
    old.getLifecycleService().terminate();
    HazelcastInstance turned = start(secrets(2, 1), both);
    assertThat(turned.getCluster().getMembers()).hasSize(2);
    both.getLifecycleService().terminate();
    assertThat(start(secrets(2), turned).getCluster().getMembers()).hasSize(2);
  }

  @Test
  void rawBytesGetAnAlertAndTheEnd() throws Exception {
    HazelcastInstance a = start(secrets(1));
    for (String greeting : List.of("HZC" + "a".repeat(100), "CB2" + "a".repeat(100), "GET / HTTP/1.1\r\n\r\n")) {
      try (Socket socket = new Socket("127.0.0.1", port(a))) {
        socket.setSoTimeout(10_000);
        socket.getOutputStream().write(greeting.getBytes(StandardCharsets.US_ASCII));
        assertThat(read(socket).length).as(greeting).isLessThan(16);
      }
    }
    assertThat(a.getLifecycleService().isRunning()).isTrue();
  }

  /** Who has the secret still cannot have a member make room for more than a packet, nor speak another protocol. */
  @Test
  void aMemberThatSendsATooLongPacketOrAnotherProtocolIsHungUpOn() throws Exception {
    HazelcastInstance a = start(secrets(1));
    ByteBuffer tooLong = ByteBuffer.allocate(14).put("HZC".getBytes(StandardCharsets.US_ASCII)).put((byte) 4)
        .putChar('\0').putInt(-1).putInt(Integer.MAX_VALUE);
    for (byte[] bytes : List.of(tooLong.array(), "CP2".getBytes(StandardCharsets.US_ASCII),
        "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII))) {
      try (SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port(a)))) {
        TlsClient member = new TlsClient(channel, secrets(1).engine(true));
        member.write(ByteBuffer.wrap(bytes));
        member.readToTheEnd();                            // without an end it would wait there
      }
    }
    assertThat(start(secrets(1), a).getCluster().getMembers()).hasSize(2);
  }

  private static byte[] read(Socket socket) {
    try {
      InputStream in = socket.getInputStream();
      return in.readAllBytes();
    } catch (IOException _) {
      return new byte[0];                                 // reset: there were unread bytes
    }
  }

  /** Also where nobody else comes. */
  @Test
  void whoConnectsAndProvesNothingInTimeIsHungUpOn() throws Exception {
    HazelcastInstance a = start(secrets(1));
    try (Socket silent = new Socket("127.0.0.1", port(a)); Socket half = new Socket("127.0.0.1", port(a))) {
      half.getOutputStream().write(new byte[] {22, 3, 1, 2, 0});       // of a record of TLS: handshake, 512 bytes
      for (Socket one : List.of(silent, half)) {
        one.setSoTimeout(60_000);
        assertThat(one.getInputStream().read()).isEqualTo(-1);
      }
    }
    Eventually.holds("Hazelcast keeps none of them", () -> accepted(a) == 0);
    assertThat(start(secrets(1), a).getCluster().getMembers()).hasSize(2);
  }

  @Test
  void whoConnectsAndIsSilentMakesRoomForTheNext() throws Exception {
    HazelcastInstance a = start(secrets(1));
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 4 * Limits.MAX_UNPROVEN_MEMBERS; i++) {
        silent.add(new Socket("127.0.0.1", port(a)));
      }
      silent.getFirst().setSoTimeout(10_000);
      assertThat(silent.getFirst().getInputStream().read()).isEqualTo(-1);
      assertThat(start(secrets(1), a).getCluster().getMembers()).hasSize(2);
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
    Eventually.holds("both are members", () -> a.getCluster().getMembers().size() == 2);
    Eventually.holds("Hazelcast keeps none of them", () -> accepted(a) <= 1);
  }

  /** The connections that a member believes to have. */
  private static int accepted(HazelcastInstance member) {
    return ((HazelcastInstanceProxy) member).getOriginal().node.getServer()
        .getConnectionManager(EndpointQualifier.MEMBER).getConnections().size();
  }
}
