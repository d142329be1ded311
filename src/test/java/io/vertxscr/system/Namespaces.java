package io.vertxscr.system;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A small network of namespaces: two switches with a group of hosts each, and one cable. Files are those of this
 * host, and {@code ip netns exec} would keep each file system mounted that is mounted when it is called. Needs root,
 * {@code ip} and {@code nsenter}.
 */
final class Namespaces implements AutoCloseable {
  private static final String NETWORK = "10.213.77.";

  private final String prefix = "scr" + ProcessHandle.current().pid() + "-";
  private final List<String> made = new ArrayList<>();
  private final List<DaemonCluster.Host> hosts = new ArrayList<>();
  private final String switches;

  /** So many hosts on each of the two switches. */
  Namespaces(int perSwitch) throws IOException, InterruptedException {
    switches = add("switches");
    for (int side = 0; side < 2; side++) {
      in(switches, "link", "add", "side" + side, "type", "bridge");
      in(switches, "link", "set", "side" + side, "up");
    }
    in(switches, "link", "add", "cable0", "type", "veth", "peer", "name", "cable1");
    for (int side = 0; side < 2; side++) {
      in(switches, "link", "set", "cable" + side, "master", "side" + side, "up");
    }
    for (int host = 0; host < 2 * perSwitch; host++) {
      String address = NETWORK + (host + 1);
      String name = add("host" + host);
      in(name, "link", "add", "eth0", "type", "veth", "peer", "name", "port" + host, "netns", switches);
      in(name, "addr", "add", address + "/24", "dev", "eth0");
      in(name, "link", "set", "eth0", "up");
      in(name, "link", "set", "lo", "up");
      in(switches, "link", "set", "port" + host, "master", "side" + host / perSwitch, "up");
      hosts.add(new DaemonCluster.Host(address, List.of("nsenter", "--net=/run/netns/" + name)));
    }
  }

  private String add(String name) throws IOException, InterruptedException {
    Root.run("ip", "netns", "add", prefix + name);
    made.add(prefix + name);
    return prefix + name;
  }

  private static void in(String namespace, String... command) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of("ip", "-n", namespace));
    line.addAll(List.of(command));
    Root.run(line.toArray(String[]::new));
  }

  /** Those of the first switch before those of the second. */
  List<DaemonCluster.Host> hosts() {
    return hosts;
  }

  /** Pulls the cable between the switches: nothing that is sent arrives, and nobody is told. */
  void cut() throws IOException, InterruptedException {
    in(switches, "link", "set", "cable0", "down");
  }

  void heal() throws IOException, InterruptedException {
    in(switches, "link", "set", "cable0", "up");
  }

  @Override
  public void close() throws IOException, InterruptedException {
    for (String name : made) {
      Root.run("ip", "netns", "del", name);
    }
  }
}
