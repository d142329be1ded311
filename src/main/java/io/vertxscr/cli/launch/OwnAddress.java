package io.vertxscr.cli.launch;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/** By which address the other nodes know this host. */
public final class OwnAddress {
  private static final String LOOPBACK = "127.0.0.1";
  private static final int ANY_PORT = 9;

  private OwnAddress() {}

  /**
   * Returns the address of a name. Without one it is the source address of the route to the first other member, which
   * the routing table knows without a packet. Where there is none, loopback.
   *
   * @param host name or address; empty to find out
   * @param members {@code host:port}
   * @throws ScrException BAD_CONFIGURATION for an unknown name
   */
  public static String of(Optional<String> host, List<String> members) {
    if (host.isPresent()) {
      try {
        return InetAddress.getByName(host.get()).getHostAddress();
      } catch (UnknownHostException e) {
        throw new ScrException(Fault.BAD_CONFIGURATION, "--host " + host.get() + ": no such host is known here", e);
      }
    }
    return members.stream().map(OwnAddress::onTheWayTo).filter(address -> !address.equals(LOOPBACK)).findFirst()
        .orElse(LOOPBACK);
  }

  private static String onTheWayTo(String member) {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(new InetSocketAddress(InetAddress.getByName(member.replaceFirst(":[0-9]+$", "")), ANY_PORT));
      InetAddress own = socket.getLocalAddress();
      return own.isLoopbackAddress() || own.isAnyLocalAddress() ? LOOPBACK : own.getHostAddress();
    } catch (IOException | UncheckedIOException _) {
      return LOOPBACK;                                    // a name that is not known: perhaps of a node that is down
    }
  }
}
