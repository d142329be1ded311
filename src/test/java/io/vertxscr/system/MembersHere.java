package io.vertxscr.system;

import io.vertxscr.cluster.HazelcastConfig;
import io.vertxscr.cluster.LocalPorts;
import io.vertxscr.cluster.tls.ClusterAuthority;
import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.config.Settings;
import io.vertxscr.node.ClusteredNode;
import io.vertxscr.node.NodeOptions;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Members of a real cluster on loopback, all in the process of the test. */
final class MembersHere {
  private final String cluster;
  private final List<Integer> ports;
  private final List<Integer> busPorts;

  /** @param count of members at most, with numbers from 0 */
  MembersHere(String cluster, int count) throws IOException {
    this.cluster = cluster;
    List<Integer> all = LocalPorts.free(2 * count);
    this.ports = all.subList(0, count);
    this.busPorts = all.subList(count, 2 * count);
  }

  /** Of the cluster. */
  List<Integer> ports() {
    return ports;
  }

  int busPort(int number) {
    return busPorts.get(number);
  }

  /** Host and port of each. */
  List<String> seeds() {
    return ports.stream().map(port -> "127.0.0.1:" + port).toList();
  }

  /** Starts the one with this number; it reads the files of others over the network. */
  ClusteredNode start(int number, String name, Map<String, String> environment, List<ClusterAuthority> authorities) {
    NodeOptions options = new NodeOptions(name, Settings.load(environment, Optional.empty()),
        Credentials.of(authorities), "127.0.0.1", 0, false);
    return ClusteredNode.start(new ClusteredNode.Options(options,
        new HazelcastConfig.Network(cluster, "127.0.0.1", ports.get(number), seeds()), busPorts.get(number),
        Optional.empty(), Optional.empty()));
  }
}
