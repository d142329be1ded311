package io.vertxscr.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.vertxscr.cluster.HazelcastConfig.Network;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.Release;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: who counts as a node of a cluster. Method: members of Hazelcast in this process, and what they tell. */
class HazelcastMembershipTest {
  private final List<HazelcastInstance> members = new ArrayList<>();
  private List<Integer> ports;

  @BeforeEach
  void findPorts() throws Exception {
    ports = LocalPorts.free(2);
  }

  @AfterEach
  void shutDown() {
    members.reversed().forEach(HazelcastInstance::shutdown);
  }

  private static NodeInfo node(String name) {
    return new NodeInfo(name, "host", "127.0.0.1", 1);
  }

  /** Joins as a daemon of a release does. */
  private HazelcastInstance join(String name, String release) {
    Config config = HazelcastConfig.of(new Network("releases", "127.0.0.1", ports.get(members.size()),
        ports.stream().map(port -> "127.0.0.1:" + port).toList()), node(name));
    config.getMemberAttributeConfig().setAttribute("scr.release", release);
    members.add(Hazelcast.newHazelcastInstance(config));
    return members.getLast();
  }

  private static List<String> names(HazelcastMembership membership) {
    return membership.nodes().stream().map(NodeInfo::name).toList();
  }

  @Test
  void daemonsOfOneReleaseAreNodesOfEachOther() {
    HazelcastMembership first = new HazelcastMembership(join("n1", Release.NAME), node("n1"));
    HazelcastMembership second = new HazelcastMembership(join("n2", Release.NAME), node("n2"));
    assertThat(names(second)).containsExactly("n1", "n2").isEqualTo(names(first));
  }

  @Test
  void aDaemonDoesNotStartBesideAnOlderMemberOfAnotherRelease() {
    join("n1", "0.0.9");
    HazelcastInstance second = join("n2", Release.NAME);
    assertThatThrownBy(() -> new HazelcastMembership(second, node("n2")))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_CONFIGURATION))
        .hasMessageContainingAll("n1", "127.0.0.1", ports.getFirst().toString(), "0.0.9", Release.NAME);
  }

  /** As one that is about to hear so, or the other part of a cluster that was cut. */
  @Test
  void aYoungerMemberOfAnotherReleaseIsNoNode() {
    HazelcastMembership first = new HazelcastMembership(join("n1", Release.NAME), node("n1"));
    HazelcastInstance second = join("n2", "99.0.0");
    assertThat(second.getCluster().getMembers()).hasSize(2);
    assertThat(names(first)).containsExactly("n1");
  }

  @Test
  void aNameIsTakenByTheOlderOne() {
    join("n1", Release.NAME);
    HazelcastInstance second = join("n1", Release.NAME);
    assertThatThrownBy(() -> new HazelcastMembership(second, node("n1")))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.DUPLICATE_NODE));
  }
}
