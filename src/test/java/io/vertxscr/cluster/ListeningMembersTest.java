package io.vertxscr.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Goal: another part of a cluster is looked for where somebody listens, and nowhere else. Method: real sockets. */
class ListeningMembersTest {
  private static String address(ServerSocket socket) {
    return "127.0.0.1:" + socket.getLocalPort();
  }

  private static ServerSocket listen() throws Exception {
    return new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
  }

  @Test
  void onceJoinedOnlyThoseThatListenAndAreNoMembersAreNamed() throws Exception {
    try (Socket silent = new Socket(); ServerSocket one = listen(); ServerSocket member = listen()) {
      silent.bind(new InetSocketAddress("127.0.0.1", 0));     // its port is given to nobody else
      String gone = "127.0.0.1:" + silent.getLocalPort();
      List<String> all = List.of(gone, address(one), address(member), "no.such.host.invalid:5701", "127.0.0.1");
      ListeningMembers members = new ListeningMembers(all);
      assertThat(members.getMembers()).as("daemons may be starting").isEqualTo(all);
      members.joined(() -> Set.of(address(member)));
      assertThat(members.getMembers()).containsExactlyInAnyOrder(address(one), "127.0.0.1");
    }
  }
}
