package io.vertxscr.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertxscr.model.ScrException;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: nothing is sent in clear but where the operator has said so. */
class TrustedNetworksTest {
  @ParameterizedTest
  @CsvSource({"10.1.0.0/16, 10.1.255.255, true", "10.1.0.0/16, 10.2.0.0, false", "10.1.2.3/32, 10.1.2.3, true",
      "10.1.2.3/32, 10.1.2.2, false", "0.0.0.0/0, 1.2.3.4, true", "0.0.0.0/0, ::1, false",
      "128.0.0.0/1, 127.0.0.1, false", "fd00::/8, fd12::1, true", "fd00::/8, fe80::1, false", "::1/128, ::1, true"})
  void theLeadingBitsCount(String network, String address, boolean contained) {
    assertThat(TrustedNetworks.of(List.of("192.0.2.0/24", network)).contain(InetAddress.ofLiteral(address)))
        .isEqualTo(contained);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "10.0.0.0", "10.0.0.0/33", "10.0.0/8x", "::/129", "node1/8", "/8", "10.0.0.0/-1"})
  void whatIsNoNetworkIsRefused(String network) {
    assertThatExceptionOfType(ScrException.class).isThrownBy(() -> TrustedNetworks.of(List.of(network)))
        .withMessageContaining("'" + network + "' is no network");
  }

  @Test
  void withoutOneNothingIsTrusted() {
    assertThat(TrustedNetworks.NONE.contain(InetAddress.getLoopbackAddress())).isFalse();
  }
}
