package io.vertxscr.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: daemons get ports that nobody else takes, and an operator is told which one is taken. */
class LocalPortsTest {
  @Test
  void portsAreDifferentAndFreeAndNoneOfThoseThatConnectionsAreGiven() throws Exception {
    List<Integer> ports = LocalPorts.free(50);
    assertThat(ports).hasSize(50).doesNotHaveDuplicates().allMatch(port -> port < 32_768);
    ports.forEach(port -> LocalPorts.require("127.0.0.1", port, "--port"));
  }

  @Test
  void aPortThatIsTakenIsNamed() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> LocalPorts.require("127.0.0.1", taken.getLocalPort(), "--http-port"))
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_CONFIGURATION))
          .hasMessageContainingAll("port " + taken.getLocalPort() + " of 127.0.0.1", "another --http-port");
    }
  }
}
