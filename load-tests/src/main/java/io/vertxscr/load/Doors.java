package io.vertxscr.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Addresses of a daemon, and what it has open, as whoever may look at its process sees them.
 *
 * @param pid of the daemon
 * @param addresses where it listens
 * @param token of its TCP port for applications
 */
public record Doors(long pid, Map<Door, SocketAddress> addresses, String token) {
  private static final Pattern READY =
      Pattern.compile("is ready: cluster \\S+?:(\\d+) .*, peers \\S+?:(\\d+), http \\S+?:(\\d+), socket (\\S+)");
  private static final String LISTENS = "0A";
  private static final long PATIENCE_S = 60;

  /** A kind of port. */
  public enum Door { CLUSTER, BUS, PEER, HTTP, BRIDGE, SOCKET }

  /**
   * Of a daemon on 127.0.0.1, with its TCP port for applications.
   *
   * @param output of the daemon, with the line that says that it is ready
   */
  public static Doors of(long pid, String output) throws IOException {
    Matcher ready = READY.matcher(output);
    if (!ready.find()) {
      throw new LoadException("not ready: " + output);
    }
    Path socket = Path.of(ready.group(4));
    String[] bridge = Files.readString(socket.resolveSibling("scr.tcp")).strip().split("[: ]");
    Map<Door, SocketAddress> addresses = new EnumMap<>(Door.class);
    Set<Integer> others = new HashSet<>(listening(pid));
    for (Map.Entry<Door, String> known : Map.of(Door.CLUSTER, ready.group(1), Door.PEER, ready.group(2), Door.HTTP,
        ready.group(3), Door.BRIDGE, bridge[1]).entrySet()) {
      others.remove(Integer.parseInt(known.getValue()));
      addresses.put(known.getKey(), loopback(Integer.parseInt(known.getValue())));
    }
    if (others.size() != 1) {
      throw new LoadException("more ports than those that are known: " + others);
    }
    addresses.put(Door.BUS, loopback(others.iterator().next()));
    addresses.put(Door.SOCKET, UnixDomainSocketAddress.of(socket));
    return new Doors(pid, addresses, bridge[2]);
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress("127.0.0.1", port);
  }

  public SocketAddress at(Door door) {
    return addresses.get(door);
  }

  /** Ports that the process listens on. */
  private static Set<Integer> listening(long pid) throws IOException {
    Set<String> sockets = new HashSet<>();
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      for (Path descriptor : descriptors.toList()) {
        try {
          sockets.add(Files.readSymbolicLink(descriptor).toString());
        } catch (NoSuchFileException _) {
          // closed meanwhile
        }
      }
    }
    Set<Integer> ports = new HashSet<>();
    for (String table : List.of("tcp", "tcp6")) {
      for (String line : Files.readAllLines(Path.of("/proc/net/" + table))) {
        String[] fields = line.strip().split("\\s+");
        if (fields[3].equals(LISTENS) && sockets.contains("socket:[" + fields[9] + "]")) {
          ports.add(Integer.parseInt(fields[1].substring(fields[1].indexOf(':') + 1), 16));
        }
      }
    }
    return ports;
  }

  /** The number of its open descriptors. */
  public int descriptors() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      return (int) open.count();
    }
  }

  /** Bytes of the objects that are left after a full garbage collection. */
  public long liveHeapBytes() throws IOException, InterruptedException {
    Process jcmd = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/jcmd").toString(),
        "-J-XX:TieredStopAtLevel=1", String.valueOf(pid), "GC.class_histogram").redirectErrorStream(true).start();
    String[] last = {""};
    try (Stream<String> lines = jcmd.inputReader().lines()) {
      lines.filter(line -> line.startsWith("Total")).forEach(line -> last[0] = line);
    }
    if (!jcmd.waitFor(PATIENCE_S, TimeUnit.SECONDS) || last[0].isEmpty()) {
      throw new LoadException("no histogram of the heap of process " + pid);
    }
    return Long.parseLong(last[0].strip().split("\\s+")[2]);
  }
}
