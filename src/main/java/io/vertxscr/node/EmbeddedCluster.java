package io.vertxscr.node;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertxscr.client.BusTransport;
import io.vertxscr.client.ScrClient;
import io.vertxscr.cluster.EmbeddedMembership;
import io.vertxscr.cluster.peer.PeerSecurity;
import io.vertxscr.cluster.peer.TrustedNetworks;
import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.service.Observer;
import io.vertxscr.service.RangeSources;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.verticle.Deployments;
import io.vertxscr.verticle.NodeVerticle;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Several nodes in one process, on one Vert.x: for demonstrations and tests. All that a daemon does happens here too,
 * peer connections on loopback included; only membership and event bus stay within the process. Thread-safe; methods
 * block and are not for event loops.
 */
public final class EmbeddedCluster implements AutoCloseable {
  private final LocalFiles files;
  private final Vertx vertx;
  private final Settings settings;
  private final boolean directReads;
  private final Observer observer;
  private final PeerSecurity security = new PeerSecurity(Credentials.ofOwn(), TrustedNetworks.NONE);
  private final EmbeddedMembership membership = new EmbeddedMembership();
  private volatile BiFunction<String, RangeSources, RangeSources> disturbance = (_, sources) -> sources;
  private volatile UnaryOperator<Callable<Object>> flushDisturbance = UnaryOperator.identity();
  private final SortedMap<String, NodeRuntime> nodes = new ConcurrentSkipListMap<>();

  /**
   * A cluster without nodes.
   *
   * @param directReads whether nodes read each other's files by path, as nodes on one host do
   */
  public EmbeddedCluster(Vertx vertx, Settings settings, boolean directReads) {
    this(vertx, settings, directReads, Observer.NONE);
  }

  /** The same with an observer of all nodes. */
  public EmbeddedCluster(Vertx vertx, Settings settings, boolean directReads, Observer observer) {
    this(vertx, settings, directReads, observer, LocalFiles.ofThisMachine());
  }

  /** The same with other files than the machine's. */
  public EmbeddedCluster(
      Vertx vertx, Settings settings, boolean directReads, Observer observer, LocalFiles files) {
    this.files = files;
    this.vertx = vertx;
    this.settings = settings;
    this.directReads = directReads;
    this.observer = observer;
  }

  /**
   * Lets a test see, hold or fail what nodes read to protect and rebuild.
   *
   * @param by makes the way of the named node from the undisturbed one; for nodes that start from now on
   */
  public void disturb(BiFunction<String, RangeSources, RangeSources> by) {
    disturbance = by;
  }

  /** Lets a test see, hold or fail the copies of flushes; for nodes that start from now on. */
  public void disturbFlushes(UnaryOperator<Callable<Object>> by) {
    flushDisturbance = by;
  }

  /** Starts a node, or starts it again on what its storage holds. */
  public NodeRuntime start(String name) {
    NodeResources ground =
        NodeResources.open(new NodeOptions(name, settings, security, "127.0.0.1", 0, directReads, files), observer);
    ground.disturb(sources -> disturbance.apply(name, sources));
    ground.disturbFlushes(flushDisturbance);
    try {
      NodeRuntime node = NodeRuntime.start(vertx, ground, membership.join(ground.info()),
          Deployments.builtIn().of(NodeVerticle.class), Map.of()).await();
      nodes.put(name, node);
      return node;
    } catch (RuntimeException e) {
      membership.leave(name);
      ground.close();
      throw e;
    }
  }

  /** A client of a node, for as many ranks as will. */
  public ScrClient client(String name) {
    return new ScrClient(new BusTransport(vertx, node(name).name()));
  }

  /** The node of that name. */
  public NodeRuntime node(String name) {
    NodeRuntime node = nodes.get(name);
    if (node == null) {
      throw new ScrException(Fault.NODE_LOST, "there is no node " + name + " here; there are " + nodes.keySet());
    }
    return node;
  }

  /** Ends a node as if its process had been killed. Its storage stays. */
  public void kill(String name) {
    NodeRuntime node = node(name);
    nodes.remove(name);
    Future<Void> dead = node.kill();
    membership.leave(name);
    dead.await();
    node.ground().close();
  }

  /** Stops a node cleanly. */
  public void stop(String name) {
    NodeRuntime node = node(name);
    nodes.remove(name);
    node.stop().await();
    membership.leave(name);
    node.ground().close();
  }

  @Override
  public void close() {
    nodes.keySet().forEach(this::stop);
  }
}
