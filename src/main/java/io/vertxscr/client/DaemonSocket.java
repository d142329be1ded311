package io.vertxscr.client;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the socket of this node's daemon, as the clients for C and Python do. SCR_SOCKET, or else the daemon's control
 * directory.
 */
final class DaemonSocket {
  private static final List<String> USERS = List.of("SCR_USER_NAME", "USER", "LOGNAME");
  private static final List<String> JOBS =
      List.of("SCR_JOB_ID", "SLURM_JOB_ID", "FLUX_JOB_ID", "PBS_JOBID", "LSB_JOBID");

  private DaemonSocket() {}

  /**
   * Selects from a list in SCR_SOCKET, separated by colons: rank r of n takes entry r * entries / n. Neighbours share a
   * daemon. Without it, {@code <SCR_CNTL_BASE>/<user>/scr.<job>/<node>/scr.sock} of the node that has the name of this
   * host, or else of the only one that listens there.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} where the list has an entry that can be no socket, or several
   *     listen there, {@link Fault#NODE_LOST} where none does, or one takes no connection: it may be the one
   */
  static Path of(Map<String, String> environment, ProcessRank process) {
    String given = environment.getOrDefault("SCR_SOCKET", "");
    if (given.isEmpty()) {
      return inControlDirectory(environment);
    }
    List<String> entries = List.of(given.split(":", -1));
    if (entries.contains("")) {
      throw new ScrException(Fault.BAD_CONFIGURATION,
          "SCR_SOCKET is '" + given + "' and has an empty entry, expected sockets of daemons, separated by colons");
    }
    return Addresses.socket(Path.of(entries.get((int) ((long) process.rank() * entries.size() / process.ranks()))));
  }

  private static Path inControlDirectory(Map<String, String> environment) {
    Path directory = Path.of(first(environment, List.of("SCR_CNTL_BASE"), "/tmp"),
        first(environment, USERS, System.getProperty("user.name")), "scr." + first(environment, JOBS, "local"));
    String host = hostName();
    Path ofHost = directory.resolve(host).resolve("scr.sock");
    if (isListening(ofHost)) {
      return ofHost;
    }
    List<Path> found = listening(directory);
    if (found.size() == 1) {
      return found.getFirst();
    }
    String what = found.isEmpty() ? "there is none"
        : "there are several: " + found.stream().map(Path::toString).collect(Collectors.joining(", "));
    throw new ScrException(found.isEmpty() ? Fault.NODE_LOST : Fault.BAD_CONFIGURATION, "which daemon to call? Looked"
        + " for scr.sock of node " + host + " in " + directory + "; " + what + ". Start the program with `scr run`, or"
        + " start `scr node` and set SCR_SOCKET to the socket that it prints when it is ready, or to those of several"
        + " daemons of this host, separated by colons");
  }

  /** Killed daemons leave sockets without a listener. Those of other users are none of ours. */
  private static List<Path> listening(Path directory) {
    try (Stream<Path> nodes = Files.list(directory)) {
      return nodes.map(node -> node.resolve("scr.sock")).sorted().filter(DaemonSocket::isListening).toList();
    } catch (IOException _) {
      return List.of();
    }
  }

  private static boolean isListening(Path path) {
    try (SocketChannel channel = DaemonDial.connect(path, DaemonDial.MAX_MS)) {
      return PeerOwner.isOurs(channel);
    } catch (IOException _) {
      return false;
    }
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException _) {
      return "localhost";
    }
  }

  private static String first(Map<String, String> environment, List<String> names, String otherwise) {
    return names.stream().map(name -> environment.getOrDefault(name, "")).filter(value -> !value.isEmpty()).findFirst()
        .orElse(otherwise);
  }
}
