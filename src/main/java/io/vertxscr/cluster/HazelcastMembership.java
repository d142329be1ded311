package io.vertxscr.cluster;

import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.Release;
import io.vertxscr.model.ScrException;
import io.vertxscr.service.Membership;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/**
 * Membership as Hazelcast sees it. Its member list is ordered by age and the same on all members, which is all that the
 * choice of a leader needs. What a node tells of itself are attributes of its member; members without them are
 * applications. One of another release of this program, whose messages may have other fields, is no node.
 */
public final class HazelcastMembership implements Membership {
  /** By which vertx-hazelcast knows a member. */
  private static final String VERTX_ID = "__vertx.nodeId";
  private static final String NAME = "scr.node";
  private static final String HOST_ID = "scr.host";
  private static final String PEER_HOST = "scr.peer.host";
  private static final String PEER_PORT = "scr.peer.port";
  private static final String KEY = "scr.key";
  private static final String RELEASE = "scr.release";

  private final HazelcastInstance hazelcast;
  private final NodeInfo self;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  /** Members after the last event: read with every message. */
  private volatile List<NodeInfo> nodes;

  /**
   * Watches the cluster that this instance has joined.
   *
   * @throws ScrException DUPLICATE_NODE if an older member has the same name, BAD_CONFIGURATION if it is of another
   *     release
   */
  public HazelcastMembership(HazelcastInstance hazelcast, NodeInfo self) {
    this.hazelcast = hazelcast;
    this.self = self;
    hazelcast.getCluster().getMembers().stream().takeWhile(member -> !member.localMember()).forEach(this::requireFits);
    hazelcast.getCluster().addMembershipListener(new MembershipListener() {
      @Override
      public void memberAdded(MembershipEvent event) {
        nodes = list();
        info(event.getMember()).ifPresent(node -> listeners.forEach(listener -> listener.joined(node)));
      }

      @Override
      public void memberRemoved(MembershipEvent event) {
        nodes = list();
        gone(event.getMember());
      }
    });
    nodes = list();
  }

  /** Writes what a node tells of itself into the configuration of its member. */
  static void describe(Config config, NodeInfo node) {
    config.getMemberAttributeConfig()
        .setAttribute(VERTX_ID, UUID.randomUUID().toString())
        .setAttribute(NAME, node.name())
        .setAttribute(HOST_ID, node.hostId())
        .setAttribute(PEER_HOST, node.peerHost())
        .setAttribute(PEER_PORT, String.valueOf(node.peerPort()))
        .setAttribute(KEY, node.key())
        .setAttribute(RELEASE, Release.NAME);
  }

  private static Optional<NodeInfo> info(Member member) {
    String name = member.getAttribute(NAME);
    return name == null || !isOfThisRelease(member) ? Optional.empty()
        : Optional.of(new NodeInfo(name, member.getAttribute(HOST_ID), member.getAttribute(PEER_HOST),
            Integer.parseInt(member.getAttribute(PEER_PORT)), member.getAttribute(KEY)));
  }

  private static boolean isOfThisRelease(Member member) {
    return Release.NAME.equals(member.getAttribute(RELEASE));
  }

  private void requireFits(Member older) {
    String name = older.getAttribute(NAME);
    if (self.name().equals(name)) {
      throw new ScrException(Fault.DUPLICATE_NODE, "node " + name + " is a member already, at "
          + older.getAddress() + "; every daemon needs a name of its own (--name)");
    }
    if (name != null && !isOfThisRelease(older)) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "node " + name + " at " + older.getAddress() + " is of release "
          + Optional.ofNullable(older.getAttribute(RELEASE)).orElse("0.1.0 or older") + ", this daemon of "
          + Release.NAME + ": all daemons of a cluster need the same release");
    }
  }

  private void gone(Member member) {
    Optional<NodeInfo> node = info(member);
    if (node.isEmpty()) {
      listeners.forEach(listener -> listener.applicationLeft(member.getUuid().toString()));
      return;
    }
    boolean refusedTwin = find(node.get().name()).isPresent();
    if (!refusedTwin) {
      listeners.forEach(listener -> listener.left(node.get()));
    }
  }

  @Override
  public NodeInfo self() {
    return self;
  }

  @Override
  public List<NodeInfo> nodes() {
    return nodes;
  }

  /** Addresses of all members, applications too, as they are configured. */
  Set<String> addresses() {
    return hazelcast.getCluster().getMembers().stream()
        .map(member -> member.getAddress().getHost() + ':' + member.getAddress().getPort())
        .collect(Collectors.toUnmodifiableSet());
  }

  private List<NodeInfo> list() {
    return hazelcast.getCluster().getMembers().stream().flatMap(member -> info(member).stream()).toList();
  }

  @Override
  public void listen(Listener listener) {
    listeners.add(listener);
  }
}
