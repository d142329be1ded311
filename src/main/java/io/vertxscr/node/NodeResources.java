package io.vertxscr.node;

import io.vertxscr.cluster.HostId;
import io.vertxscr.cluster.StoreCatalog;
import io.vertxscr.cluster.peer.PeerClient;
import io.vertxscr.cluster.peer.PeerServer.ServerSettings;
import io.vertxscr.cluster.peer.PeerServer;
import io.vertxscr.cluster.peer.PeerTimeouts;
import io.vertxscr.model.Limits;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.redundancy.range.DirectRanges;
import io.vertxscr.redundancy.range.LocalRanges;
import io.vertxscr.redundancy.range.RoutedRanges;
import io.vertxscr.service.Membership;
import io.vertxscr.service.Observer;
import io.vertxscr.service.Loop;
import io.vertxscr.service.RangeSources;
import io.vertxscr.service.Tracer;
import io.vertxscr.service.Traces;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.NodeLock;
import io.vertxscr.storage.PieceBuffers;
import io.vertxscr.transfer.ThreadPriority;
import io.vertxscr.transfer.TransferEngine;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * What a node has before it is a member of anything. That is its storage, locked; threads for transfers; a port for its
 * peers. Opening and closing block.
 */
public final class NodeResources implements AutoCloseable {
  private final NodeOptions options;
  private final NodeLock lock;
  private final DatasetStore store;
  private final TransferEngine engine;
  private final TransferEngine flushEngine;
  private final TransferEngine prefixEngine;
  private final TransferEngine quietEngine;
  private final PeerServer peerServer;
  private final NodeInfo info;
  private final Observer observer;
  private UnaryOperator<RangeSources> disturbance = UnaryOperator.identity();
  private UnaryOperator<Callable<Object>> flushDisturbance = UnaryOperator.identity();
  private Optional<Tracer> tracer = Optional.empty();
  private PeerClient peerClient;

  private NodeResources(NodeOptions options, Observer observer) {
    this.options = options;
    this.observer = observer;
    NodeDirectories directories = options.directories().create();
    this.lock = NodeLock.take(directories, options.files());
    this.store = DatasetStore.open(directories);
    Runnable buffers = () -> PieceBuffers.ofThisThread(options.settings().cache().pieceBytes());
    this.engine = new TransferEngine("scr-" + options.name(), buffers);
    this.flushEngine = new TransferEngine(
        "scr-" + options.name() + "-flush", Limits.FLUSH_THREADS, Limits.MAX_QUEUED_TRANSFERS, buffers);
    this.prefixEngine = new TransferEngine(
        "scr-" + options.name() + "-prefix", Limits.PREFIX_THREADS, Limits.MAX_QUEUED_TRANSFERS);
    this.quietEngine = new TransferEngine(
        "scr-" + options.name() + "-quiet", Limits.QUIET_THREADS, Limits.MAX_QUEUED_TRANSFERS, ThreadPriority::lower);
    this.peerServer = new PeerServer(new ServerSettings(options.name(), options.peerHost(), options.peerPort(),
        options.security()), new StoreCatalog(store));
    this.info = new NodeInfo(options.name(), HostId.ofThisProcess(), options.peerHost(), peerServer.port(),
        options.security().credentials().fingerprint());
  }

  /**
   * Opens it.
   *
   * @throws io.vertxscr.model.ScrException DUPLICATE_NODE if a daemon of that name lives on this host, IO
   */
  public static NodeResources open(NodeOptions options) {
    return open(options, Observer.NONE);
  }

  /** Opens the same with an observer. It is told what happens, beside those who listen to the events of the cluster. */
  public static NodeResources open(NodeOptions options, Observer observer) {
    return new NodeResources(options, observer);
  }

  /** What the others are told. */
  public NodeInfo info() {
    return info;
  }

  public NodeOptions options() {
    return options;
  }

  Observer observer() {
    return observer;
  }

  /** Where spans go; before the node starts. */
  void trace(Tracer to) {
    tracer = Optional.of(to);
  }

  /** The spans of the node on its loop. */
  Traces traces(Loop loop) {
    return tracer.map(to -> new Traces(options.name(), loop, to)).orElse(Traces.OFF);
  }

  public DatasetStore store() {
    return store;
  }

  public TransferEngine engine() {
    return engine;
  }

  /** Runs copies from and to the prefix directory, beside all other transfers. */
  CompletableFuture<Object> flush(String what, Callable<Object> copy) {
    return flushEngine.submit(what, flushDisturbance.apply(copy));
  }

  /** Lets somebody see, hold or fail the copies of flushes; before the node starts. */
  void disturbFlushes(UnaryOperator<Callable<Object>> by) {
    flushDisturbance = by;
  }

  /** Threads for all other operations on the prefix directory. One that hangs there stops nothing else. */
  TransferEngine prefixEngine() {
    return prefixEngine;
  }

  /** Threads for what no phase waits for; they yield to those of the application. */
  TransferEngine quietEngine() {
    return quietEngine;
  }

  /** Refuses new transfers; completes when all that were submitted before have ended. */
  CompletableFuture<Void> drain() {
    return CompletableFuture.allOf(engine.drain(), quietEngine.drain());
  }

  /** The same for those from and to the prefix directory, which may hang. */
  CompletableFuture<Void> drainPrefix() {
    return CompletableFuture.allOf(flushEngine.drain(), prefixEngine.drain());
  }

  /** Ways to the other members' bytes. Connections to a member that leaves end at once. */
  RangeSources sources(Membership membership) {
    peerClient = new PeerClient(options.security(), node -> membership.find(node).orElse(null), PeerTimeouts.DEFAULT);
    membership.listen(new Membership.Listener() {
      @Override
      public void joined(NodeInfo node) {
        // Connections are made when they are needed.
      }

      @Override
      public void left(NodeInfo node) {
        peerClient.abort(node.name());
      }
    });
    LocalRanges local = new LocalRanges(store);
    return disturbance.apply((layouts, ifDifferent) -> new RoutedRanges(info.name(), local,
        new DirectRanges(sameHost(membership), layouts, ifDifferent), peerClient));
  }

  /** Lets somebody see, hold or fail what the node reads to protect and rebuild; before the node starts. */
  void disturb(UnaryOperator<RangeSources> by) {
    disturbance = by;
  }

  private Set<String> sameHost(Membership membership) {
    return options.directReads() ? membership.nodes().stream().filter(node -> node.hostId().equals(info.hostId()))
        .map(NodeInfo::name).collect(Collectors.toSet()) : Set.of();
  }

  @Override
  public void close() {
    peerServer.close();
    if (peerClient != null) {
      peerClient.close();
    }
    flushEngine.close();
    prefixEngine.close();
    engine.close();
    quietEngine.close();
    lock.close();
  }
}
