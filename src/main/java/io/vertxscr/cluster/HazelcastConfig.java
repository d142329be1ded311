package io.vertxscr.cluster;

import com.hazelcast.config.Config;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MultiMapConfig;
import io.vertxscr.model.NodeInfo;
import java.util.List;
import java.util.Optional;

/**
 * Configuration of Hazelcast. A cluster of one allocation, joined over TCP addresses, with fast failure detection. The
 * values were measured (docs/decisions/0004-membership.md).
 */
public final class HazelcastConfig {
  private HazelcastConfig() {}

  /**
   * Own address, and addresses of other members.
   *
   * @param cluster name of the cluster: of the allocation
   * @param host address to listen on
   * @param port port to listen on, exactly this one
   * @param members {@code host:port} of nodes that may be there already; this node may be among them
   * @param kubernetesService DNS name of a headless service that has the addresses of all nodes, instead of members;
   *     all listen on the same port
   */
  public record Network(String cluster, String host, int port, List<String> members,
      Optional<String> kubernetesService) {
    /** Without Kubernetes. */
    public Network(String cluster, String host, int port, List<String> members) {
      this(cluster, host, port, members, Optional.empty());
    }

    /** Whether members are named beside this node itself. */
    public boolean expectsOthers() {
      return members.stream().anyMatch(member -> !member.equals(host + ":" + port));
    }
  }

  /** Returns the configuration of a node's member. */
  public static Config of(Network network, NodeInfo node) {
    Config config = new Config();
    vertxStructures(config);
    onlyKnownClasses(config);
    config.setClusterName(network.cluster());
    config.setProperty("hazelcast.logging.type", "slf4j")
        .setProperty("hazelcast.phone.home.enabled", "false")
        .setProperty("hazelcast.shutdownhook.enabled", "false")
        .setProperty("hazelcast.health.monitoring.level", "OFF")
        .setProperty("hazelcast.wait.seconds.before.join", "0")
        .setProperty("hazelcast.tcp.join.previously.joined.member.address.retention.seconds", "0")
        .setProperty("hazelcast.merge.first.run.delay.seconds", "5")
        .setProperty("hazelcast.merge.next.run.delay.seconds", "5")
        .setProperty("hazelcast.heartbeat.interval.seconds", "1")
        .setProperty("hazelcast.max.no.heartbeat.seconds", "5")
        .setProperty("hazelcast.partition.count", "31")
        .setProperty("hazelcast.connection.monitor.interval", "100")
        .setProperty("hazelcast.connection.monitor.max.faults", "1")
        .setProperty("hazelcast.socket.bind.any", "false");
    config.getNetworkConfig().setPort(network.port()).setPortAutoIncrement(false).setPublicAddress(network.host());
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface(network.host());
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getMulticastConfig().setEnabled(false);
    join.getAutoDetectionConfig().setEnabled(false);
    if (network.kubernetesService().isPresent()) {
      join.getKubernetesConfig().setEnabled(true).setProperty("service-dns", network.kubernetesService().get())
          .setProperty("service-port", String.valueOf(network.port()));
    } else {
      join.setTcpIpConfig(new ListeningMembers(network.members())).getTcpIpConfig().setEnabled(true)
          .setConnectionTimeoutSeconds(1);
    }
    config.getMetricsConfig().setEnabled(false);             // nobody reads them: a node has metrics of its own
    HazelcastMembership.describe(config, node);
    return config;
  }

  /** The cluster is joined: another part of it is looked for among addresses where a daemon listens. */
  public static void joined(Config config, HazelcastMembership membership) {
    if (config.getNetworkConfig().getJoin().getTcpIpConfig() instanceof ListeningMembers members) {
      members.joined(membership::addresses);
    }
  }

  /**
   * Members send each other objects of Hazelcast and of Vert.x's cluster manager, and exceptions. Any other class is
   * refused before it is loaded. An exception that is not among these would leave its operation without an answer, for
   * two minutes: so packages that have no more than those and collections are named whole.
   */
  private static void onlyKnownClasses(Config config) {
    JavaSerializationFilterConfig filter = new JavaSerializationFilterConfig().setDefaultsDisabled(true);
    filter.getWhitelist()
        .addPrefixes("com.hazelcast.", "io.vertx.spi.cluster.hazelcast.impl.", "[", "javax.net.ssl.SSL")
        .addPackages("java.lang", "java.io", "java.util", "java.util.concurrent", "java.nio.channels",
            "java.util.concurrent.atomic", "java.security.cert")
        .addClasses("java.net.ConnectException", "java.net.SocketException", "java.net.SocketTimeoutException",
            "java.net.UnknownHostException", "java.net.NoRouteToHostException", "java.net.BindException");
    config.getSerializationConfig().setJavaSerializationFilterConfig(filter);
  }

  /** Settings of vertx-hazelcast's default-cluster.xml. Reading that file costs an XML parser and a warning. */
  private static void vertxStructures(Config config) {
    config.addMultiMapConfig(new MultiMapConfig("__vertx.subs").setBackupCount(1)
        .setValueCollectionType(MultiMapConfig.ValueCollectionType.SET));
    config.addMapConfig(new MapConfig("__vertx.haInfo").setBackupCount(1));
    config.addMapConfig(new MapConfig("__vertx.nodeInfo").setBackupCount(1));
  }
}
