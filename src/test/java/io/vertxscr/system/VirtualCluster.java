package io.vertxscr.system;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertxscr.client.ScrClient;
import io.vertxscr.cluster.EventBusNodeBus;
import io.vertxscr.cluster.EventPublisher;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import io.vertxscr.node.NodeAssembly;
import io.vertxscr.node.NodeOptions;
import io.vertxscr.redundancy.range.LocalRanges;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.RangeSources;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.verticle.Deployments;
import io.vertxscr.verticle.NodeContext;
import io.vertxscr.verticle.NodeVerticle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Nodes of a cluster in virtual time: all of their services and verticles, on real storage below a directory.
 *
 * <p>In the place of threads and event loops is {@link VirtualTime}, in that of the event bus {@link VirtualBus}; nodes
 * hear some time later that another one has come or gone, each at its own time. A node that dies does nothing more, nor
 * do its ranks. What nodes read of each other they read from each other's storage.
 */
final class VirtualCluster {
  /** Longer than any wait that ends by itself. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  /** When the first node starts, by the wall clock. */
  static final Instant BEGINNING = VirtualTime.BEGINNING;
  private static final Duration LAUNCH = Duration.ofMillis(500);

  private final LocalFiles files;
  private final Path directory;
  private final Path prefix;
  private final Settings settings;
  private final VirtualTime time;
  private final VirtualBus bus;
  private final Loop loop;
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private UnaryOperator<RangeSources> disturbance = UnaryOperator.identity();
  private int lives;

  /** @param directory where everything is; emptied first: the paths of files are part of what happens */
  VirtualCluster(Random random, Path directory, Map<String, String> parameters) throws IOException {
    this(random, directory, parameters, LocalFiles.ofThisMachine());
  }

  /** The same on a file system of its own. */
  VirtualCluster(Random random, Path directory, Map<String, String> parameters, LocalFiles files)
      throws IOException {
    this.files = files;
    this.directory = directory;
    if (Files.exists(directory)) {
      delete(directory);
    }
    this.prefix = Files.createDirectories(directory.resolve("prefix"));
    this.settings = TestSettings.in(directory, parameters);
    this.time = new VirtualTime(random);
    this.loop = time.loop();
    this.bus = new VirtualBus(random, loop, () -> time.nowNs() / 1_000_000);
  }

  Path prefix() {
    return prefix;
  }

  VirtualTime time() {
    return time;
  }

  /** A file of the cluster's file system. */
  Path file(Path routed) {
    return files.path(routed.toString());
  }

  VirtualBus bus() {
    return bus;
  }

  /** Lets a test see, hold or fail what nodes that start from now on read to protect and rebuild. */
  void disturb(UnaryOperator<RangeSources> by) {
    disturbance = by;
  }

  /** The wall clock of the cluster. */
  Instant now() {
    return loop.clock().instant();
  }

  /** All that has happened, in order, without the directory of the test. */
  String story() {
    return bus.story().replace(directory.toString(), "");
  }

  /** Lets things happen until it is so. */
  void awaits(String what, BooleanSupplier condition) {
    if (!time.runUntil(condition, PATIENCE)) {
      throw new AssertionError("never: " + what + ", in\n" + story());
    }
  }

  /** Lets the time go by that a launcher needs to start ranks again. */
  void launch() {
    pass(LAUNCH);
  }

  /** Completes after so much time. */
  Future<Void> later(long delayMs) {
    Promise<Void> promise = Promise.promise();
    loop.after(delayMs, promise::complete);
    return promise.future();
  }

  void pass(Duration some) {
    time.runUntil(() -> false, some);
  }

  /** Lets things happen until the future has a result. */
  <T> Future<T> await(Future<T> future) {
    awaits("an end of what is waited for", future::isComplete);
    return future;
  }

  boolean isAlive(String name) {
    return nodes.containsKey(name);
  }

  /** Starts a node on what its storage holds. */
  void start(String... names) {
    for (String name : names) {
      Node node = new Node(name);
      List<Node> others = List.copyOf(nodes.values());
      nodes.put(name, node);
      node.membership.all.addAll(others.stream().map(other -> other.info).toList());
      node.membership.all.add(node.info);
      node.begin();
      others.forEach(other -> other.hears(() -> other.membership.joined(node.info)));
      bus.note(name + " starts");
    }
  }

  /** The node does nothing more; the others hear of it. */
  void kill(String name) {
    Node node = nodes.remove(name);
    bus.dies(node.end);
    bus.note(name + " dies");
    nodes.values().forEach(other -> other.hears(() -> other.membership.left(node.info)));
  }

  /** Deletes what a dead node has stored. */
  void loseStorage(String name) {
    NodeDirectories directories = directories(name);
    delete(directories.control());
    delete(directories.cache());
  }

  private NodeDirectories directories(String name) {
    return new NodeOptions(name, settings, null, "127.0.0.1", 0, true, files).directories();
  }

  DatasetStore store(String name) {
    return nodes.get(name).store;
  }

  /** A rank's connection to its node. */
  ScrClient client(String name) {
    Node node = nodes.get(name);
    return new ScrClient(new VirtualTransport(bus.of(node.end), name, "client " + ++lives, () -> isAlive(name),
        client -> node.turns.later(() -> node.assembly.connectionClosed(client))));
  }

  private static void delete(Path root) {
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** A node of the cluster, in one life. */
  private final class Node {
    private final NodeInfo info;
    private final String end;
    private final Loop turns;
    private final DatasetStore store;
    private final View membership;
    private final NodeAssembly assembly;
    private final NodeContext context;
    private long heardMs;

    Node(String name) {
      info = new NodeInfo(name, "host", "127.0.0.1", 1);
      end = name + "/" + ++lives;
      turns = time.loop(files, () -> nodes.get(name) == this);
      store = DatasetStore.open(directories(name).create());
      membership = new View(info);
      Epoch epoch = new Epoch();
      EventPublisher events = new EventPublisher(turns, bus.of(end), name);
      assembly = new NodeAssembly(new NodeAssembly.Ports(turns,
          new EventBusNodeBus(bus.of(end), turns, membership, epoch), membership, epoch, store,
          disturbance.apply((_, _) -> request -> local(request.node()).open(request)), events), settings);
      context = new NodeContext(name, turns, epoch, assembly.services(), events);
    }

    private LocalRanges local(String node) {
      if (!isAlive(node)) {
        throw new ScrException(Fault.NODE_LOST, "node " + node + " is lost");
      }
      return new LocalRanges(store(node));
    }

    void begin() {
      Vertx vertx = bus.vertx(end);
      Deployments.builtIn().of(NodeVerticle.class).deploy(vertx, this::verticle, _ -> {});
      turns.later(() -> assembly.begin());
    }

    private io.vertx.core.Deployable verticle(Class<?> type) {
      try {
        return (io.vertx.core.Deployable) type.getConstructor(NodeContext.class).newInstance(context);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }

    /** News of the members, in their order. */
    void hears(Runnable news) {
      long nowMs = time.nowNs() / 1_000_000;
      heardMs = Math.max(heardMs, nowMs + bus.delayMs());
      turns.after(heardMs - nowMs, news);
    }
  }

  /** Whom a node takes for alive. */
  private static final class View implements Membership {
    private final NodeInfo self;
    private final List<NodeInfo> all = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();

    View(NodeInfo self) {
      this.self = self;
    }

    void joined(NodeInfo node) {
      all.add(node);
      listeners.forEach(listener -> listener.joined(node));
    }

    void left(NodeInfo node) {
      all.remove(node);
      listeners.forEach(listener -> listener.left(node));
    }

    @Override
    public NodeInfo self() {
      return self;
    }

    @Override
    public List<NodeInfo> nodes() {
      return List.copyOf(all);
    }

    @Override
    public void listen(Listener listener) {
      listeners.add(listener);
    }
  }
}
