package io.vertxscr.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.internal.serialization.impl.DefaultSerializationServiceBuilder;
import io.vertxscr.cluster.HazelcastConfig.Network;
import io.vertxscr.model.NodeInfo;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: members find each other also by the name of a Kubernetes service. */
class HazelcastConfigTest {
  private static Config config(int port, int found) {
    Network network = new Network("test-" + found, "127.0.0.1", port, List.of(), Optional.of("localhost"));
    Config config = HazelcastConfig.of(network, new NodeInfo("n" + port, "host", "127.0.0.1", 1));
    config.getNetworkConfig().getJoin().getKubernetesConfig().setProperty("service-port", "" + found);
    return config;
  }

  /** Of the classes that can be on a class path beside ours, none. */
  @Test
  void objectsOfForeignClassesAreRefusedBeforeTheirClassIsLoaded() {
    var filter = config(1, 1).getSerializationConfig().getJavaSerializationFilterConfig();
    assertThat(filter.isDefaultsDisabled()).isTrue();
    for (String no : List.of("org.example.Gadget", "java.lang.invoke.SerializedLambda", "java.net.URL",
        "javax.management.BadAttributeValueExpException", "java.rmi.MarshalledObject", "io.vertxscr.model.Fault")) {
      assertThat(filter.getWhitelist().isListed(no)).as(no).isFalse();
    }
    for (String yes : List.of("java.lang.RuntimeException", "[Ljava.lang.StackTraceElement;",
        "java.util.Collections$EmptyList", "com.hazelcast.core.HazelcastInstanceNotActiveException",
        "io.vertx.spi.cluster.hazelcast.impl.HazelcastNodeInfo", "java.util.concurrent.TimeoutException")) {
      assertThat(filter.getWhitelist().isListed(yes)).as(yes).isTrue();
    }
  }

  /** An object that runs code when it is read, as those of many libraries do. */
  private static final class Gadget implements Serializable {
    private static final long serialVersionUID = 1;
    private static int read;

    private void readObject(ObjectInputStream in) {
      read++;
    }
  }

  @Test
  void anObjectOfAForeignClassRunsNothing() {
    var open = new DefaultSerializationServiceBuilder().build();
    var ours = new DefaultSerializationServiceBuilder().setConfig(config(1, 1).getSerializationConfig()).build();
    for (Object foreign : List.of(new Gadget(), new IllegalStateException(new Unread()))) {
      Data bytes = open.toData(foreign);
      assertThatThrownBy(() -> ours.toObject(bytes)).hasStackTraceContaining("is not allowed");
    }
    assertThat(Gadget.read).isZero();
    assertThat(open.<Object>toObject(open.toData(new Gadget()))).isInstanceOf(Gadget.class);
    assertThat(Gadget.read).as("where there is no filter").isEqualTo(1);
    Data known = open.toData(new IllegalStateException("why"));
    assertThat(ours.<Object>toObject(known)).isInstanceOf(IllegalStateException.class);
  }

  /** Hidden in one that is taken. */
  private static final class Unread extends Exception {
    private static final long serialVersionUID = 1;
    private final Gadget gadget = new Gadget();

    @Override
    public String toString() {
      return gadget.toString();
    }
  }

  /** The name stands for the address of the first; on real nodes every member has an address of its own. */
  @Test
  void aMemberJoinsThoseWhoseAddressesTheNameOfTheServiceHas() throws Exception {
    List<Integer> ports = LocalPorts.free(2);
    HazelcastInstance first = Hazelcast.newHazelcastInstance(config(ports.get(0), ports.get(0)));
    try {
      HazelcastInstance second = Hazelcast.newHazelcastInstance(config(ports.get(1), ports.get(0)));
      try {
        assertThat(second.getCluster().getMembers()).hasSize(2);
      } finally {
        second.shutdown();
      }
    } finally {
      first.shutdown();
    }
  }
}
