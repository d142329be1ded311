package io.vertxscr.system;

import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import io.vertxscr.cluster.HazelcastConfig;
import io.vertxscr.cluster.LocalPorts;
import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.cluster.tls.SecuredNodeContext;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.protocol.Wire;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.NodeRunState;
import io.vertxscr.protocol.node.run.Pulse;
import io.vertxscr.protocol.node.run.Takeover;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A member that is a node by its name, in this process, and has the secret. It stands for a daemon that somebody has
 * taken over: hears of who leads, says that no rank waits with it and that it has no dataset, and answers nothing else.
 */
final class RogueMember implements AutoCloseable {
  static final String NAME = "rogue";
  private static final String HOST = "127.0.0.1";
  private static final int PATIENCE_MS = 10_000;

  private final HazelcastInstance member;
  private final Vertx vertx;
  private final CompletableFuture<String> leadership = new CompletableFuture<>();

  /** @param ports of members of this cluster */
  RogueMember(String cluster, Credentials credentials, List<Integer> ports) throws IOException {
    member = HazelcastInstanceFactory.newHazelcastInstance(config(cluster, credentials.fingerprint(), ports), NAME,
        new SecuredNodeContext(credentials));
    vertx = Vertx.builder().with(new VertxOptions().setEventBusOptions(
        credentials.secure(new EventBusOptions().setHost(HOST))))
        .withClusterManager(new HazelcastClusterManager(member)).buildClustered().await();
    vertx.eventBus().<Buffer>consumer(NodeVerb.TAKEOVER.address(NAME), takeover -> {
      leadership.complete(Wire.fromBytes(takeover.body().getBytes(), Takeover.class).leadership());
      takeover.reply(body(NodeRunState.none(0)));
    }).completion().await();
    vertx.eventBus().consumer(NodeVerb.PULSE.address(NAME),
        pulse -> pulse.reply(body(new Pulse(0, 0, List.of(), Optional.empty())))).completion().await();
    vertx.eventBus().consumer(NodeVerb.INVENTORY.address(NAME),
        question -> question.reply(body(new Inventory(NAME, List.of(), Set.of(), true)))).completion().await();
  }

  /** As a daemon has it, on a port that is free. */
  static Config config(String cluster, String key, List<Integer> ports) throws IOException {
    return HazelcastConfig.of(new HazelcastConfig.Network(cluster, HOST, LocalPorts.free(1).getFirst(),
        ports.stream().map(port -> HOST + ":" + port).toList()), new NodeInfo(NAME, "h", HOST, 1, key));
  }

  static Buffer body(Object message) {
    return Buffer.buffer(Wire.toBytes(message));
  }

  /** Names of the nodes that it sees. */
  Set<String> nodes() {
    return member.getCluster().getMembers().stream().map(one -> one.getAttribute("scr.node"))
        .collect(Collectors.toSet());
  }

  /** What all members are told of the leader. */
  String keyOfLeader() {
    return member.getCluster().getMembers().iterator().next().getAttribute("scr.key");
  }

  /** What all nodes are told by the leader. */
  String leadership() {
    return leadership.orTimeout(60, TimeUnit.SECONDS).join();
  }

  /** What a node answers. @throws ReplyException where it refuses, or nobody answers */
  Buffer ask(String node, NodeVerb verb, Buffer body) {
    Message<Buffer> answer = vertx.eventBus().<Buffer>request(verb.address(node), body,
        new DeliveryOptions().setSendTimeout(PATIENCE_MS)).await();
    return answer.body();
  }

  /** Why a node does not obey. */
  Fault refusal(String node, NodeVerb verb, Buffer body, DeliveryOptions options) {
    try {
      vertx.eventBus().request(verb.address(node), body, options.setSendTimeout(PATIENCE_MS)).await();
      throw new AssertionError(verb + " was obeyed");
    } catch (ReplyException e) {
      if (e.failureType() != ReplyFailure.RECIPIENT_FAILURE) {
        throw new AssertionError(verb + " was not answered", e);
      }
      return Fault.of(e.failureCode());
    }
  }

  @Override
  public void close() {
    vertx.close().await();
    member.shutdown();
  }
}
