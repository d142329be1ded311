package io.vertxscr.node;

import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cluster.EventBusNodeBus;
import io.vertxscr.cluster.EventPublisher;
import io.vertxscr.cluster.ops.Dashboard;
import io.vertxscr.coding.GfKernels;
import io.vertxscr.coding.Xor;
import io.vertxscr.metrics.NodeFigures;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.Observer;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.verticle.Deployments;
import io.vertxscr.verticle.NodeContext;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running node: its services and verticles, on a Vert.x that others may share. */
public final class NodeRuntime {
  private static final Logger LOG = LoggerFactory.getLogger(NodeRuntime.class);
  private static final int FIRST_WORK_MS = 10_000;
  private static final int LOOK_AGAIN_MS = 5_000;

  private final Vertx vertx;
  private final NodeResources ground;
  private final Loop loop;
  private final EventBusNodeBus bus;
  private final EventPublisher events;
  private final NodeAssembly assembly;
  private final NodeContext context;
  private final LastLook look;
  private final Membership membership;
  private final List<String> deployed = new ArrayList<>();
  private volatile boolean ready;

  private NodeRuntime(Vertx vertx, NodeResources ground, Membership membership) {
    this.vertx = vertx;
    this.ground = ground;
    this.membership = membership;
    this.loop = new VertxLoop(vertx, ground.options().files(), new VertxLoop.Engines(ground.engine()::submit,
        ground::flush, ground.prefixEngine()::submit, ground.quietEngine()::submit), ground::traces);
    Epoch epoch = new Epoch(membership);
    this.bus = new EventBusNodeBus(vertx.eventBus(), loop, membership, epoch);
    this.events = new EventPublisher(loop, vertx.eventBus(), ground.options().name());
    Observer observer = Observer.all(List.of(events, ground.observer()));
    NodeAssembly.Ports ports = new NodeAssembly.Ports(
        loop, bus, membership, epoch, ground.store(), ground.sources(membership), observer);
    this.assembly = new NodeAssembly(ports, ground.options().settings());
    this.look = new LastLook(loop, assembly.services().runs(), ground.store());
    this.context = new NodeContext(ground.options().name(), loop, membership, epoch, assembly.services(),
        observer);
  }

  /**
   * Starts a node.
   *
   * @param others makes the verticles that need more than a {@link NodeContext}, by class; a described verticle that is
   *     neither is refused
   */
  public static Future<NodeRuntime> start(Vertx vertx, NodeResources ground, Membership membership,
      Deployments deployments, Map<Class<?>, Supplier<Deployable>> others) {
    NodeRuntime node = new NodeRuntime(vertx, ground, membership);
    Thread.ofPlatform().daemon().name(ground.options().name() + "-warm-up").start(NodeRuntime::warmUpKernels);
    return deployments.deploy(vertx, type -> node.make(type, others), node.deployed::add)
        .map(_ -> {
          node.ready = true;
          node.loop.later(() -> node.assembly.begin());
          return node;
        });
  }

  private static void warmUpKernels() {
    Xor.warmUp();
    GfKernels.KernelChoice choice = GfKernels.warmUp();
    LOG.debug("kernel of Reed-Solomon: {}", choice.why());
  }

  /**
   * Prepares the node while nobody needs it. As a spare it may have to rebuild; ranks may write their first checkpoint.
   * Any thread.
   *
   * @return some time after the end of that, or, where ranks have come at once, after the node has stored something:
   *     what they need first is compiled by then
   */
  Future<Void> warmUpIdle() {
    BooleanSupplier unused = () -> ready && assembly.services().runs().isUnused();
    Promise<Void> warm = loop.promise();
    Runnable isWarm = () -> loop.after(FIRST_WORK_MS, warm::complete);
    loop.after(WarmUp.IDLE_MS, () -> {
      if (unused.getAsBoolean()) {
        WarmUp.ofSpare(loop, ground, unused).run().onComplete(_ -> isWarm.run());
      } else {
        onceItStores(false, isWarm);
      }
    });
    return warm.future();
  }

  private void onceItStores(boolean rehearsed, Runnable then) {
    BooleanSupplier idle = () -> ready && assembly.services().runs().isIdle();
    if (!ground.store().list().isEmpty()) {
      then.run();
    } else if (!rehearsed && idle.getAsBoolean()) {
      WarmUp.besideRanks(loop, ground, idle).run().onComplete(_ -> onceItStores(true, then));
    } else {
      loop.after(LOOK_AGAIN_MS, () -> onceItStores(rehearsed, then));
    }
  }

  private Deployable make(Class<?> type, Map<Class<?>, Supplier<Deployable>> others) {
    if (others.containsKey(type)) {
      return others.get(type).get();
    }
    try {
      return (Deployable) type.getConstructor(NodeContext.class).newInstance(context);
    } catch (NoSuchMethodException | ClassCastException e) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "verticle " + type.getName()
          + " needs a public constructor with one parameter, the NodeContext", e);
    } catch (InvocationTargetException | InstantiationException | IllegalAccessException e) {
      throw new ScrException(Fault.INTERNAL, "verticle " + type.getName() + " cannot be made: " + e, e);
    }
  }

  public String name() {
    return context.name();
  }

  public NodeResources ground() {
    return ground;
  }

  /** Returns why it cannot serve a phase now, empty where it can. Any thread. */
  public Future<Optional<String>> notReady() {
    return loop.call(() -> Future.succeededFuture(
        ready ? assembly.notReady() : Optional.of("starting or stopping")));
  }

  /** What operators see in a browser. @param attention what an operator should look at, from a status */
  Dashboard dashboard(Function<JsonObject, JsonArray> attention) {
    return new NodeDashboard(vertx, loop, assembly.services(), membership, attention);
  }

  /** What scrapes are told. Any thread. */
  NodeFigures figures() {
    return look.figures();
  }

  /** A connection of an application has ended. Any thread. */
  public void connectionClosed(String client) {
    loop.call(() -> {
      assembly.connectionClosed(client);
      return Future.succeededFuture();
    });
  }

  /** Runs an action on the node's loop. Any thread. */
  void onLoop(Runnable action) {
    loop.later(action);
  }

  /** For how many ms the storage of this node has not answered. On its loop. */
  long storageSilentMs() {
    return assembly.services().probe().silentMs();
  }

  /** A signal from outside has ended the program, as its launcher knows. Any thread. */
  public void endedFromOutside() {
    loop.later(() -> assembly.endedFromOutside());
  }

  /**
   * Stops cleanly. No new phase begins, running transfers are finished, what is left of flushes is parked in the
   * filemaps. The storage is closed by its owner.
   */
  public Future<Void> stop() {
    ready = false;
    return loop.<Void>call(() -> {
      return assembly.stopping().compose(_ -> assembly.closeLog())
          .compose(_ -> loop.prefix().within(PrefixJobs.PATIENCE, Future.fromCompletionStage(ground.drainPrefix()))
              .otherwiseEmpty())
          .compose(_ -> Future.fromCompletionStage(ground.drain()));
    }).onComplete(_ -> {
      events.publish();
      events.close();
    }).eventually(this::undeploy).eventually(this::closeBus);
  }

  /**
   * Ends what this node still asks of others. It must not reach a later life of one, which would take it for its
   * leader's.
   */
  private Future<Void> closeBus() {
    return loop.call(() -> {
      bus.close(new ScrException(Fault.STOPPING, "node " + name() + " has stopped"));
      return Future.succeededFuture();
    });
  }

  /** Ends at once, as if its process had been killed: nothing more is answered or written. */
  public Future<Void> kill() {
    ready = false;
    ScrException cause = new ScrException(Fault.NODE_LOST, "node " + name() + " was killed");
    return loop.<Void>call(() -> {
      bus.close(cause);
      events.close();
      assembly.killed(cause);
      return Future.succeededFuture();
    }).eventually(this::undeploy);
  }

  private Future<Void> undeploy() {
    return Future.join(deployed.stream().map(vertx::undeploy).toList()).mapEmpty();
  }
}
