package io.vertxscr.cluster;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** TCP ports of this host. */
public final class LocalPorts {
  private static final int LOWEST = 10_000;
  private static final int RANGE = 20_000;

  private LocalPorts() {}

  /**
   * Ports of the loopback address that are free now, for daemons that are started next. They lie below those that the
   * system assigns automatically, so that no connection takes one of them meanwhile.
   *
   * @throws IOException if the loopback address cannot be used
   */
  public static List<Integer> free(int count) throws IOException {
    List<ServerSocket> held = new ArrayList<>();
    try {
      for (int port = LOWEST + new Random().nextInt(RANGE); held.size() < count; port++) {
        try {
          held.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
        } catch (BindException _) {
          // Taken: the next one.
        }
      }
      return held.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : held) {
        socket.close();
      }
    }
  }

  /**
   * Refuses an unavailable port with a clear message; the bind itself gives none.
   *
   * @param port 0, for any, can always be had
   * @param option of the command line that gives it
   * @throws ScrException {@link Fault#BAD_CONFIGURATION}
   */
  public static void require(String host, int port, String option) {
    try {
      new ServerSocket(port, 1, InetAddress.getByName(host)).close();
    } catch (IOException e) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "port " + port + " of " + host + " cannot be had ("
          + e.getMessage() + "): is a daemon running there? Another one needs another " + option, e);
    }
  }
}
