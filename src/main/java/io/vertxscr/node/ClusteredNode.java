package io.vertxscr.node;

import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import io.vertxscr.cluster.HazelcastConfig;
import io.vertxscr.cluster.HazelcastMembership;
import io.vertxscr.cluster.LocalPorts;
import io.vertxscr.cluster.accept.GuardedTransport;
import io.vertxscr.cluster.ops.Dashboard;
import io.vertxscr.cluster.ops.OperatorsAddress;
import io.vertxscr.cluster.ops.OperatorsView;
import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.cluster.tls.SecuredNodeContext;
import io.vertxscr.config.Parameter;
import io.vertxscr.config.Settings;
import io.vertxscr.metrics.Metrics;
import io.vertxscr.metrics.NodeFigures;
import io.vertxscr.metrics.TraceExport;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.verticle.BridgeVerticle;
import io.vertxscr.verticle.Deployments;
import io.vertxscr.verticle.OpsVerticle;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A daemon: one node, a member of the Hazelcast cluster of its allocation. Its methods block. */
public final class ClusteredNode implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusteredNode.class);
  private static final long STOP_S = 20;

  private final Metrics metrics = new Metrics();
  private final Optional<TraceExport> traces;
  private final NodeResources ground;
  private final OpsVerticle ops;
  private HazelcastInstance hazelcast;
  private Vertx vertx;
  private HazelcastMembership membership;
  private volatile NodeRuntime runtime;
  private volatile Dashboard dashboard;
  private volatile Future<Void> warm;

  /**
   * How a daemon takes part.
   *
   * @param busPort where members send their messages; 0 for any free port
   * @param operators where metrics and health are served; empty for nowhere
   * @param deployments the verticles; empty for those that are part of the program
   * @param attention what an operator should look at, from a status, for the dashboard
   * @param traces jars by which spans are exported; empty for no traces
   */
  public record Options(NodeOptions node, HazelcastConfig.Network network, int busPort,
      Optional<OperatorsAddress> operators, Optional<Path> deployments, Function<JsonObject, JsonArray> attention,
      Optional<Path> traces) {
    /** Without advice for operators. */
    public Options(NodeOptions node, HazelcastConfig.Network network, int busPort,
        Optional<OperatorsAddress> operators, Optional<Path> deployments) {
      this(node, network, busPort, operators, deployments, _ -> new JsonArray(), Optional.empty());
    }
  }

  private ClusteredNode(Options options) {
    traces = options.traces().map(jars -> TraceExport.open(jars, options.node().name()));
    ground = NodeResources.open(options.node(), metrics.observer());
    traces.ifPresent(ground::trace);
    ops = new OpsVerticle(options.operators(),
        new OperatorsView(metrics::page, this::notReady, () -> Optional.ofNullable(dashboard)));
  }

  /**
   * Starts it: joins the cluster, or begins one if nobody is there.
   *
   * @throws ScrException DUPLICATE_NODE, NOT_AUTHORIZED, BAD_CONFIGURATION, IO; nothing is left running then
   */
  public static ClusteredNode start(Options options) {
    Deployments deployments = options.deployments().map(Deployments::read).orElseGet(Deployments::builtIn);
    LocalPorts.require(options.network().host(), options.network().port(), "--port");
    LocalPorts.require(options.network().host(), options.busPort(), "--bus-port");
    LocalPorts.require(options.node().peerHost(), options.node().peerPort(), "--peer-port");
    options.operators().ifPresent(address -> LocalPorts.require(address.host(), address.port(), "--http-port"));
    ClusteredNode node = new ClusteredNode(options);
    try {
      node.join(options, deployments);
      return node;
    } catch (RuntimeException e) {
      node.close();
      throw e;
    }
  }

  private void join(Options options, Deployments deployments) {
    Config config = HazelcastConfig.of(options.network(), ground.info());
    Credentials credentials = options.node().security().credentials();
    SecuredNodeContext secured = new SecuredNodeContext(credentials);
    hazelcast = HazelcastInstanceFactory.newHazelcastInstance(
        config, options.network().cluster() + "/" + ground.info().name(), secured);
    if (hazelcast.getCluster().getMembers().size() == 1) {
      secured.unlike().ifPresent(other -> {
        throw new ScrException(Fault.NOT_AUTHORIZED, "the daemon at " + other
            + " has another secret than this one; all nodes need the same --secret-file");
      });
    }
    // One loop: everything that it does is short, and a message that changes loops costs a change of threads.
    // And no copies of resources in /tmp, which a daemon that is killed would leave there: nothing is served from them.
    VertxOptions vertxOptions = new VertxOptions().setEventLoopPoolSize(1)
        .setFileSystemOptions(new FileSystemOptions().setClassPathResolvingEnabled(false).setFileCachingEnabled(false))
        .setEventBusOptions(credentials.secure(
            new EventBusOptions().setHost(options.network().host()).setPort(options.busPort())));
    vertx = metrics.vertx(vertxOptions).withTransport(new GuardedTransport())
        .withClusterManager(new HazelcastClusterManager(hazelcast)).buildClustered().await();
    membership = new HazelcastMembership(hazelcast, ground.info());
    if (membership.nodes().size() == 1 && options.network().expectsOthers()) {
      LOG.info("none of {} answered: node {} begins a cluster", options.network().members(), ground.info().name());
      UnknownHosts.of(options.network().members()).forEach(host ->
          LOG.warn("--members: no host {} is known here: is it a typing error?", host));
    }
    HazelcastConfig.joined(config, membership);
    metrics.watch(ground.store()::list, record -> !ground.store().damaged().of(record).isEmpty(), membership, () -> {
      NodeRuntime node = runtime;
      return node == null ? NodeFigures.NONE : node.figures();
    });
    Map<Class<?>, Supplier<Deployable>> others = Map.of(
        OpsVerticle.class, () -> ops,
        BridgeVerticle.class, () -> new BridgeVerticle(
            ground.info().name(), socket(), tcpPort(options.node().settings()), client -> closed(client)));
    runtime = NodeRuntime.start(vertx, ground, membership, deployments, others).await();
    dashboard = runtime.dashboard(options.attention());
    warm = runtime.warmUpIdle();
  }

  private static OptionalInt tcpPort(Settings settings) {
    int port = settings.system().effective().value(Parameter.SCR_BRIDGE_TCP)
        .map(value -> Integer.parseInt(value.text())).orElse(-1);
    return port < 0 ? OptionalInt.empty() : OptionalInt.of(port);
  }

  private void closed(String client) {
    NodeRuntime node = runtime;
    if (node != null) {
      node.connectionClosed(client);
    }
  }

  private Future<Optional<String>> notReady() {
    NodeRuntime node = runtime;
    if (node == null) {
      return Future.succeededFuture(Optional.of("starting"));
    }
    return hazelcast.getLifecycleService().isRunning() ? node.notReady()
        : Future.succeededFuture(Optional.of("not a member of the cluster any more"));
  }

  /** Where applications of this host connect. */
  public Path socket() {
    return ground.options().directories().socket();
  }

  /** Where it serves its peers. */
  public int peerPort() {
    return ground.info().peerPort();
  }

  /** The nodes that it sees, itself among them. */
  public Set<String> members() {
    return membership.nodes().stream().map(NodeInfo::name).collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Watches it from a thread of its own, until it cannot do its work any more.
   *
   * @param end ends the process, at once; is told why
   */
  public void watch(Consumer<String> end) {
    SelfWatch watch = new SelfWatch(runtime::onLoop, () -> membership.isLeader() && membership.nodes().size() > 1
        ? OptionalLong.of(runtime.storageSilentMs()) : OptionalLong.empty());
    Thread.ofPlatform().daemon().name("scr-self-watch").start(() -> {
      Optional<String> why = Optional.empty();
      while (why.isEmpty()) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(SelfWatch.TICK_MS));
        try {
          why = watch.tick();
        } catch (RejectedExecutionException _) {
          return;                                         // the loop has ended: the node stops
        }
      }
      end.accept(why.get());
    });
  }

  /** A signal from outside has ended the program, as its launcher knows. */
  public void endedFromOutside() {
    runtime.endedFromOutside();
  }

  /** When the node has prepared for its work as far as it does so by itself. */
  public Future<Void> warm() {
    return warm;
  }

  /** Calls the listener, on an event loop, with each event that this node publishes from now on. */
  public void onEvent(Consumer<JsonObject> listener) {
    vertx.eventBus().<JsonObject>localConsumer(Addresses.EVENTS, message -> listener.accept(message.body()));
  }

  /** Where operators look; empty where they cannot. */
  public OptionalInt httpPort() {
    return ops.port();
  }

  /** Leaves cleanly: no new phase, running transfers finished, the rest of flushes parked. Bounded in time. */
  @Override
  public void close() {
    await("stop", () -> runtime == null ? Future.succeededFuture() : runtime.stop());
    await("leave", () -> vertx == null ? Future.succeededFuture() : vertx.close());
    if (hazelcast != null) {
      hazelcast.shutdown();
    }
    ground.close();
    metrics.close();
    traces.ifPresent(TraceExport::close);
  }

  private static void await(String what, Supplier<Future<Void>> step) {
    try {
      step.get().await(STOP_S, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LOG.warn("{} takes longer than {} s; going on", what, STOP_S);
    } catch (RuntimeException e) {
      LOG.warn("{} failed", what, e);
    }
  }
}
