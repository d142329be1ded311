package io.vertxscr.simulation;

import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertxscr.client.ScrClient;
import io.vertxscr.cluster.EventBusNodeBus;
import io.vertxscr.cluster.EventPublisher;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import io.vertxscr.node.NodeAssembly;
import io.vertxscr.node.NodeOptions;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.redundancy.range.LocalRanges;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeStream;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.RangeSources;
import io.vertxscr.service.Tracer;
import io.vertxscr.service.Traces;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.verticle.Deployments;
import io.vertxscr.verticle.NodeContext;
import io.vertxscr.verticle.NodeServices;
import io.vertxscr.verticle.NodeVerticle;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Nodes of a cluster in virtual time: all of their services and verticles, on real storage code.
 *
 * <p>In the place of threads and event loops is {@link VirtualTime}, in that of the event bus {@link VirtualBus}, in
 * that of Hazelcast {@link VirtualMembers}. A node that dies does nothing more, nor do its ranks. What nodes read of
 * each other they read from each other's storage.
 */
public final class VirtualCluster implements Machine.Standstill {
  /** Longer than any wait that ends by itself. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  /** Of a story in the message of a failure; a long one has tens of megabytes. */
  private static final int MOST_STORY_CHARS = 64 << 10;
  /** When the first node starts, by the wall clock. */
  public static final Instant BEGINNING = VirtualTime.BEGINNING;
  private static final Duration LAUNCH = Duration.ofMillis(500);
  /** Of a message, where no network says otherwise. */
  public static final int MOST_DELAY_MS = 20;
  /** Of a message between a rank and its node. */
  static final int MOST_SOCKET_MS = 3;
  private static final Deployments VERTICLES = Deployments.builtIn().of(NodeVerticle.class);

  private final Path prefix;
  /** Of daemons that start from now on. */
  private Settings settings;
  private final Function<String, LocalFiles> machines;
  private final VirtualTime time;
  private final Trace trace;
  private long extentBytes = Extent.MOST_BYTES;
  private boolean hasOwnHosts;
  private UnaryOperator<int[]> links = UnaryOperator.identity();
  private final VirtualBus bus;
  private final VirtualMembers members;
  private final Loop loop;
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  /** By how much clocks are wrong; not in here: by nothing. */
  private final Map<String, Duration> ahead = new HashMap<>();
  private UnaryOperator<RangeSources> disturbance = UnaryOperator.identity();
  private Optional<Tracer> tracer = Optional.empty();
  private int lives;

  /**
   * A cluster without nodes.
   *
   * @param prefix the prefix directory, on every node
   * @param machines the files of each node; nodes of one machine share them
   */
  public VirtualCluster(Random random, Settings settings, Path prefix, Function<String, LocalFiles> machines) {
    this(random, new VirtualTime(random), settings, prefix, machines, true, (_, _) -> delay(random));
  }

  /**
   * A cluster without nodes.
   *
   * @param readable whether {@link #story} is kept
   * @param network what becomes of messages between nodes that reach each other
   */
  VirtualCluster(Random random, VirtualTime time, Settings settings, Path prefix,
      Function<String, LocalFiles> machines, boolean readable, Network network) {
    this(random, time, settings, prefix, machines, new Trace(time::nowNs, readable), network);
  }

  /** The same beside another one, whose story is told with its own. */
  VirtualCluster(Random random, VirtualTime time, Settings settings, Path prefix,
      Function<String, LocalFiles> machines, Trace trace, Network network) {
    this.prefix = prefix;
    this.settings = settings;
    this.machines = machines;
    this.time = time;
    this.loop = time.loop();
    this.trace = trace;
    this.members = new VirtualMembers(random, loop, trace);
    this.bus = new VirtualBus(random, loop, trace,
        (from, to) -> !members.reaches(from, to) ? Network.LOST
            : from.equals(to) ? network.arrivals(from, to) : links.apply(network.arrivals(from, to)));
  }

  /** From now on daemons begin that copy larger files to and from prefix directories in pieces of this size. */
  void cutFiles(long bytes) {
    extentBytes = bytes;
  }

  /** Nodes that begin from now on are on hosts of their own; else all share one, and what its stores have. */
  void spread() {
    hasOwnHosts = true;
  }

  /** Connects nodes otherwise. @param by makes of the times after which a message arrives, in ms, those when it does */
  public void connect(UnaryOperator<int[]> by) {
    links = by;
  }

  /** The time on a wall clock that is right, in ns since 1970. */
  static long wallNs(VirtualTime time) {
    return BEGINNING.getEpochSecond() * 1_000_000_000L + time.nowNs();
  }

  /** A message arrives once, and overtakes others. */
  static int[] delay(Random random) {
    return new int[] {random.nextInt(MOST_DELAY_MS + 1)};
  }

  public Path prefix() {
    return prefix;
  }

  /** A file of a node's machine. */
  public Path file(String node, Path routed) {
    return machines.apply(node).path(routed.toString());
  }

  public VirtualBus bus() {
    return bus;
  }

  public VirtualTime time() {
    return time;
  }

  VirtualMembers members() {
    return members;
  }

  Trace trace() {
    return trace;
  }

  /** Lets a test see, hold or fail what nodes that start from now on read to protect and rebuild. */
  public void disturb(UnaryOperator<RangeSources> by) {
    disturbance = by;
  }

  /** Has nodes that start from now on report their spans. */
  void trace(Tracer to) {
    tracer = Optional.of(to);
  }

  /** The wall clock of the cluster. */
  public Instant now() {
    return loop.clock().instant();
  }

  /** All that has happened, in order. */
  public String story() {
    return trace.text();
  }

  /** Lets things happen until it is so. */
  public void awaits(String what, BooleanSupplier condition) {
    if (!time.runUntil(condition, PATIENCE)) {
      throw new AssertionError("never: " + what + ", in\n" + trace.end(MOST_STORY_CHARS));
    }
  }

  /** Lets the time go by that a launcher needs to start ranks again. */
  public void launch() {
    pass(LAUNCH);
  }

  /** Completes after so much time. */
  public Future<Void> later(long delayMs) {
    Promise<Void> promise = Promise.promise();
    loop.after(delayMs, promise::complete);
    return promise.future();
  }

  public void pass(Duration some) {
    time.runUntil(() -> false, some);
  }

  /** Lets things happen until the future has a result. */
  public <T> Future<T> await(Future<T> future) {
    awaits("an end of what is waited for", future::isComplete);
    return future;
  }

  /** Lets things happen until there is an answer, which is no failure. */
  public <T> T answer(Future<T> asked) {
    Future<T> end = await(asked);
    if (end.failed()) {
      throw new AssertionError("refused: " + end.cause(), end.cause());
    }
    return end.result();
  }

  /** Lets all of them do it at once, and returns what each is answered. */
  public <A, B> List<B> all(List<A> who, Function<A, Future<B>> what) {
    List<Future<B>> asked = who.stream().map(what).toList();
    return asked.stream().map(this::answer).toList();
  }

  /** A run with a rank on each of these nodes, which configures nothing. */
  public List<VirtualSession> init(List<String> on) {
    return all(init(on.stream().map(this::client).toList(), Map.of()), answer -> answer);
  }

  /** The same over these connections and with these variables: what each rank is answered. */
  public List<Future<VirtualSession>> init(List<ScrClient> clients, Map<String, String> environment) {
    return IntStream.range(0, clients.size()).mapToObj(rank -> Future.fromCompletionStage(clients.get(rank).init(
        new InitRequest(rank, clients.size(), prefix.toString(), "test", Optional.of(environment), Optional.empty())))
        .map(VirtualSession::new)).toList();
  }

  public boolean isAlive(String name) {
    return nodes.containsKey(name);
  }

  Set<String> alive() {
    return nodes.keySet();
  }

  /** Has daemons start with other settings from now on. */
  void use(Settings others) {
    settings = others;
  }

  /** Starts a node on what its storage holds. */
  public void start(String... names) {
    for (String name : names) {
      trace.note(name + " starts");
      Node node = new Node(name);
      nodes.put(name, node);
      members.begins(node.membership);
      node.begin();
    }
  }

  /** The node does nothing more; the others hear of it. */
  public void kill(String name) {
    kill(name, 0);
  }

  /** The same where the others only notice by its silence. */
  void kill(String name, int silenceMs) {
    Node node = nodes.remove(name);
    bus.dies(node.end);
    node.dies();
    trace.note(name + " dies");
    members.ends(name, silenceMs);
  }

  /** The node stands still, as under SIGSTOP. After a while the others take it for lost. */
  public void pause(String name) {
    trace.note(name + " is paused");
    nodes.get(name).stops++;
    members.pause(name);
  }

  /** It goes on. Where it has been missed, it finds itself alone; some time later it is the youngest of all. */
  public void resume(String name) {
    trace.note(name + " goes on");
    nodes.get(name).stops--;
    members.resume(name);
  }

  /** The others take a node for lost that is there: a silence of it is noticed late. */
  public void miss(String name) {
    trace.note(name + " is missed late");
    members.miss(name);
  }

  /** The node's loop stands still, but it stays a member: its heartbeats go on. */
  public void hangLoop(String name, boolean hangs) {
    trace.note(name + (hangs ? " hangs" : " goes on"));
    nodes.get(name).stops += hangs ? 1 : -1;
  }

  @Override
  public boolean runs(String name) {
    return nodes.get(name).stops == 0;
  }

  @Override
  public void begins(String name, boolean isMissed) {
    if (isMissed) {
      pause(name);
    } else {
      hangLoop(name, true);
    }
  }

  @Override
  public void ends(String name, boolean isMissed) {
    if (isMissed) {
      resume(name);
    } else {
      hangLoop(name, false);
    }
  }

  /** The node's files do not answer. */
  public void hangStorage(String name, boolean hangs) {
    trace.note("the storage of " + name + (hangs ? " hangs" : " goes on"));
    nodes.get(name).storageHangs += hangs ? 1 : -1;
  }

  /** Lets something happen to this life of a node after some time; not if it is over by then. */
  void after(String name, Duration some, Consumer<String> what) {
    Node node = nodes.get(name);
    loop.after(some.toMillis(), () -> {
      if (nodes.get(name) == node) {
        what.accept(name);
      }
    });
  }

  /** Returns why a node cannot serve a phase, as it would answer whoever asks it now. */
  public Optional<String> notReady(String name) {
    return nodes.get(name).assembly.notReady();
  }

  /** Sets the wall clock of a node, whether its daemon runs or not. */
  public void clockAhead(String name, Duration by) {
    trace.note(name + ": clock " + by);
    ahead.put(name, by);
  }

  /** Deletes what a dead node has stored. */
  public void loseStorage(String name) {
    NodeDirectories directories = directories(name);
    delete(directories.control());
    delete(directories.cache());
  }

  /** Nodes die together, lose what they have stored, and start again. */
  public void loseCaches(String... names) {
    for (String name : names) {
      kill(name);
      loseStorage(name);
    }
    start(names);
  }

  private NodeDirectories directories(String name) {
    return new NodeOptions(name, settings, null, "127.0.0.1", 0, true, machines.apply(name)).directories();
  }

  /** What a daemon's objects remember. */
  Map<String, Integer> residue(String name) {
    Node node = nodes.get(name);
    return Residue.of(Stream.concat(Stream.of(node.assembly, node.context), node.verticles.stream()).toList());
  }

  public DatasetStore store(String name) {
    return nodes.get(name).store;
  }

  /** What the verticles of a node delegate to. On its loop: {@link #onLoop}. */
  public NodeServices services(String name) {
    return nodes.get(name).assembly.services();
  }

  /** Has a node do something, and waits for the end of that. */
  public <T> Future<T> onLoop(String name, Supplier<Future<T>> what) {
    return await(nodes.get(name).turns.call(what));
  }

  /** Questions of a node that nobody has answered yet. */
  int unanswered(String name) {
    return bus.unanswered(nodes.get(name).end);
  }

  /** Which leadership a node follows. */
  public Epoch epoch(String name) {
    return nodes.get(name).context.epoch();
  }

  /** Has a node say something to another one that is not of this program. */
  public Future<Message<Object>> say(String name, String address, Object body, DeliveryOptions options) {
    return bus.of(nodes.get(name).end).request(address, body, options);
  }

  Loop loop(String name) {
    return nodes.get(name).turns;
  }

  /** A rank's connection to its node. */
  public ScrClient client(String name) {
    Node node = nodes.get(name);
    return new ScrClient(new VirtualTransport(bus.of(node.end), name, "client " + ++lives,
        () -> nodes.get(name) == node,
        client -> node.turns.after(MOST_SOCKET_MS, () -> node.assembly.connectionClosed(client))));
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
    private final String end;
    private final Loop turns;
    private final DatasetStore store;
    private final VirtualMembers.View membership;
    private final NodeAssembly assembly;
    private final NodeContext context;
    private int stops;
    private final Set<Connection> connections = new LinkedHashSet<>();
    private final List<Deployable> verticles = new ArrayList<>();
    private int storageHangs;

    Node(String name) {
      NodeInfo info =
          new NodeInfo(name, hasOwnHosts ? "host of " + name : "host", "127.0.0.1", 1, VirtualBus.keyOf(name));
      end = name + "/" + ++lives;
      turns = time.loop(machines.apply(name), new VirtualTime.NodeCondition() {
        @Override
        public boolean lives() {
          return nodes.get(name) == Node.this;
        }

        @Override
        public boolean runs() {
          return stops == 0;
        }

        @Override
        public Duration ahead() {
          return ahead.getOrDefault(name, Duration.ZERO);
        }

        @Override
        public Traces traces(Loop of) {
          return tracer.map(to -> new Traces(name, of, to)).orElse(Traces.OFF);
        }

        @Override
        public boolean stores() {
          return storageHangs == 0;
        }
      });
      store = DatasetStore.open(directories(name).create());
      membership = members.view(info, turns);
      Epoch epoch = new Epoch(membership);
      EventPublisher events = new EventPublisher(turns, bus.of(end), name);
      assembly = new NodeAssembly(new NodeAssembly.Ports(turns,
          new EventBusNodeBus(bus.of(end), turns, membership, epoch), membership, epoch, store,
          disturbance.apply((_, _) -> request -> open(name, request)), events, extentBytes), settings);
      context = new NodeContext(name, turns, membership, epoch, assembly.services(), events);
    }

    private RangeStream open(String self, RangeRequest request) {
      String owner = request.node();
      if (!isAlive(owner) || !members.areConnected(self, owner)) {
        throw new ScrException(Fault.NODE_LOST, "node " + owner + " is lost");
      }
      RangeStream stream = new LocalRanges(store(owner)).open(request);
      return owner.equals(self) ? stream : new Connection(nodes.get(owner), stream);
    }

    /** What it reads of others, and cannot close itself any more, they do. */
    void dies() {
      connections.forEach(open -> open.owner.turns.blocking("a connection that has ended", () -> {
        open.stream.close();
        return null;
      }));
    }

    void begin() {
      Vertx vertx = bus.vertx(end);
      VERTICLES.deploy(vertx, this::verticle, _ -> {});
      turns.later(() -> assembly.begin());
    }

    /** A range of another node, which it reads. */
    private final class Connection implements RangeStream {
      private final Node owner;
      private final RangeStream stream;

      Connection(Node owner, RangeStream stream) {
        this.owner = owner;
        this.stream = stream;
        connections.add(this);
      }

      @Override
      public void read(ByteBuffer into) {
        stream.read(into);
      }

      @Override
      public void close() {
        connections.remove(this);
        stream.close();
      }
    }

    private Deployable verticle(Class<?> type) {
      try {
        Deployable verticle = (Deployable) type.getConstructor(NodeContext.class).newInstance(context);
        verticles.add(verticle);
        return verticle;
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
