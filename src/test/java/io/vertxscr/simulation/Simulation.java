package io.vertxscr.simulation;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.config.Settings;
import io.vertxscr.format.FilemapFile;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DrainState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Halt;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.DrainRequest;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.Ledger.Attempt;
import io.vertxscr.simulation.Outcome.Invariant;
import io.vertxscr.simulation.Outcome.Violation;
import io.vertxscr.simulation.Ledger.Wish;
import io.vertxscr.simulation.Scenario.Deed;
import io.vertxscr.simulation.Scenario.Order;
import io.vertxscr.simulation.Scenario.Output;
import io.vertxscr.simulation.Scenario.Stop;
import io.vertxscr.simulation.SimulatedDisk.Kept;
import io.vertxscr.simulation.Trouble.Kind;
import io.vertxscr.storage.DatasetStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Carries out a {@link Scenario} and watches the invariants. Everything follows from the scenario.
 *
 * <p>The launcher's part is played here: before each run it starts the daemons again that have ended, and takes a spare
 * for each node that is lost. A last run without faults follows those of the scenario.
 */
final class Simulation {
  private static final Duration BOUND = Duration.ofSeconds(60);
  /** A phase waits a minute at most for the flush of what would make room for it. */
  private static final Duration BOUND_OF_SMALL = Duration.ofSeconds(90);
  /** The same where calls may wait for flushes of limited bandwidth, or until a rival has flushed. */
  private static final Duration BOUND_OF_LIMITED = Duration.ofMinutes(5);
  private static final long NS_PER_MS = 1_000_000;
  private static final int LAUNCHER_MS = 10_000;
  private static final int ROT_DELAY_MS = 20;
  /** A job begins within this time. */
  private static final int MOST_BEHIND_MS = 5;
  private static final int LAST_TRIES = 4;
  /** Within which parts of a cluster have become one after a heal. */
  private static final Duration MERGES = Duration.ofMinutes(1);
  private static final int CLASHES = 3;
  /** Until all runs of a rival have ended. */
  private static final Duration MOST_OF_RIVAL = Duration.ofMinutes(30);
  private static final String FIRST_JOB = "1";
  private static final String SECOND_JOB = "2";
  private static final int GUEST_RUNS = 100;
  /** A lease of an object store lasts 20 s, and longer than that is what a node then stands in half of the cases. */
  private static final int STANDS_LONGER = 5;
  /** Of those that daemons have had in an object store when they ended. */
  private static final Duration LEASES_END = Duration.ofSeconds(30);
  private static final Duration FLUSHES = Duration.ofMinutes(30);
  /** After which a daemon has forgotten what it keeps for a while. */
  private static final Duration REST = Duration.ofMinutes(15);
  /** How long all daemons are left alone at least. */
  private static final Duration LEAST_REST = Duration.ofMinutes(2);
  /** Of a daemon at rest: a leader looks at the members, the scrub at what is due, and an event is about to be told. */
  private static final int MOST_TIMERS = 3;
  /** At one of so many looks the scrub reads nothing, and nobody is watched for an answer: 5 s behind the last one. */
  private static final int LOOKS_AT_REST = 160;
  /** A few have no end where what they waited for never came; more would be more with each run. */
  private static final int MOST_PROMISES = 8;

  private final Scenario scenario;
  private final Random random;
  private final VirtualTime time;
  private final Loop script;
  private final SimulatedDisk shared;
  private final SimulatedFileSystem inspector;
  private final Optional<SimulatedStore> store;
  private final PrefixView view;
  private final VirtualCluster cluster;
  private final Map<String, Machine> machines = new LinkedHashMap<>();
  private final CacheWatch caches;
  private final Program main;
  private final Program guest;
  private final Operator operator;
  private final OperatorOrders orders;
  private final OperatorCommands commands;
  private final Optional<RivalJob> rival;
  private final Steps steps = new Steps();
  /**
   * Groups of the nodes whose copies have gone since an attempt began: one may be lost before the ranks hear that all
   * is there. No set has two members of one.
   */
  private final Map<Attempt, Set<String>> lostSince = new HashMap<>();
  private final Set<String> away = new TreeSet<>();
  private final Set<String> lost = new TreeSet<>();
  /** Nodes whose daemon has been started since the last run began. */
  private final Set<String> hasBegun = new TreeSet<>();
  private final List<Violation> violations = new ArrayList<>();
  private final List<String> calls = new ArrayList<>();
  /** Sizes of collections of daemons at rest, where somebody wants to know; that takes longer than all other checks. */
  private Optional<Map<String, Integer>> residue = Optional.empty();
  private List<Rank> ranks = List.of();
  /** What ranks of the run have been told at their n-th question whether to exit. */
  private Map<Integer, Boolean> advice = new HashMap<>();
  /**
   * So many checkpoints may be written in the run, and nothing keeps anybody from counting them; 0: not so. A rank may
   * be answered once more by what held before the last one.
   */
  private int mostCheckpoints;
  private long faultsEndNs;
  private long badLinksUntilNs;
  private long runBeganNs;
  /** Of the nodes' own disks. */
  private long fullUntilNs;
  /** Of each node's caches; empty: it is enough. */
  private OptionalLong roomBytes = OptionalLong.empty();
  /** Of some node, or it hangs there. */
  private long prefixAwayUntilNs;
  private long acknowledgedNs;
  /** What survives the loss of power that comes behind the next dataset; empty: none comes. */
  private Optional<Kept> keptBehind = Optional.empty();
  private int eventsSeen;
  private String job = FIRST_JOB;
  /** Of the first job, when the second one begins: bytes by node and path. */
  private final Map<String, byte[]> otherJobs = new HashMap<>();
  private int runs;

  private Simulation(Scenario scenario, boolean readable) {
    this.scenario = scenario;
    this.random = new Random(scenario.seed());
    this.time = new VirtualTime(random);
    this.script = time.loop();
    this.shared = new SimulatedDisk(this::wallNs);
    this.inspector = inspector();
    this.store = scenario.objectPart().stream().mapToObj(part -> new SimulatedStore(time, part, this::inspector))
        .findFirst();
    this.view = store.isPresent() ? store.get() : new PrefixView.OfDisk(this::inspector);
    this.cluster = new VirtualCluster(random, time, settings(FIRST_JOB),
        Path.of("/pfs/prefix"), name -> machine(name).local(), readable, this::arrivals);
    cluster.cutFiles(scenario.extentBytes());
    this.main = program("/pfs/prefix", scenario.ranksPerNode());
    this.guest = program("/pfs/guest", 1);
    this.caches = new CacheWatch(() -> List.of(main, guest), this::machine,
        this::mayMakeRoom, this::violated);
    this.operator = new Operator(view.files(), main.prefix(), script.clock());
    this.orders = new OperatorOrders(cluster, this::said);
    this.commands = new OperatorCommands(scenario, main.ledger(),
        new OfflineTools(new SimulatedDisk(this::wallNs), shared, store, main.prefix(), script.clock()), machines,
        new OperatorCommands.Site(cluster::isAlive, this::said, this::checkPrefix, () -> cluster.pass(LEASES_END),
            what -> violated(Invariant.LISTED_IS_WHOLE, what)));
    this.rival = scenario.rival().map(plan -> new RivalJob(scenario, plan, random, time, cluster, shared, store,
        settings(RivalJob.JOB), main, this::said, this::violated));
  }

  private Settings settings(String jobId) {
    Map<String, String> environment = new HashMap<>(Map.of("SCR_CNTL_BASE", "/local/cntl", "SCR_CACHE_BASE",
        "/local/cache", "SCR_JOB_ID", jobId, "SCR_JOB_NAME", "test", "SCR_USER_NAME", "user", "SCR_CLUSTER_NAME",
        "cluster"));
    environment.putAll(scenario.environment());
    return Settings.load(environment, Optional.of(configuration()));
  }

  private Program program(String prefix, int ranksPerNode) {
    Ledger ledger = new Ledger(scenario.nodes() * ranksPerNode);
    return new Program(prefix, ranksPerNode, ledger, new PrefixInspection(
        scenario, ledger, prefix, Clock.fixed(cluster.now(), ZoneOffset.UTC), view, this::violated));
  }

  private SimulatedFileSystem inspector() {
    return new SimulatedFileSystem(
        "inspector", new SimulatedDisk(this::wallNs), shared, SimulatedFileSystem.Interference.NONE);
  }

  private Path configuration() {
    try {
      Path directory = Files.createDirectories(inspector.getPath("/local"));
      return Files.writeString(directory.resolve("scr.conf"), scenario.configuration());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs it. @param readable whether the trace is kept as text */
  static Outcome run(Scenario scenario, boolean readable) {
    Simulation simulation = new Simulation(scenario, readable);
    simulation.carryOut();
    return new Outcome(scenario, simulation.violations, simulation.calls, simulation.cluster.trace().hash(),
        simulation.cluster.story(), simulation.runs,
        simulation.main.ledger().attempts().size() + simulation.guest.ledger().attempts().size());
  }

  private void carryOut() {
    try {
      all();
    } catch (Stopped _) {
      // an invariant has been violated, and there is no going on
    } catch (IOException | RuntimeException | AssertionError e) {
      StringWriter stack = new StringWriter();
      e.printStackTrace(new PrintWriter(stack));
      violated(Invariant.NO_BUGS, stack.toString());
    }
  }

  /** The end of a simulation that has failed. */
  private static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stopped() {
      super(null, null, false, false);
    }
  }

  private long wallNs() {
    return VirtualCluster.wallNs(time);
  }

  private Machine machine(String name) {
    return machines.computeIfAbsent(
        name, _ -> newMachine(name));
  }

  /** Whether a dataset may go for others although nothing replaces it. */
  private boolean mayMakeRoom(Attempt attempt) {
    return (time.nowNs() <= fullUntilNs || roomBytes.isPresent()) && !isWithinTolerance(attempt)
        || roomBytes.isPresent() && scenario.mayLoseLast();
  }

  private Machine newMachine(String name) {
    Machine machine = machineOf(name);
    roomBytes.ifPresent(bytes -> machine.files.shrink(Scenario.CACHES, bytes));
    return machine;
  }

  private Machine machineOf(String name) {
    Machine machine = new Machine(name, time, new SimulatedDisk(this::wallNs), shared, new Machine.Watcher() {
      @Override
      public void counts(String node, boolean onShared) {
        steps.operation(node, onShared);
      }

      @Override
      public void sees(String node, SimulatedFileSystem.Operation operation, Path path) {
        caches.sees(node, operation, path);
      }
    });
    store.ifPresent(objects -> machine.mounts(objects, cluster));
    return machine;
  }

  private int[] arrivals(String from, String to) {
    return from.equals(to) || from.isEmpty() ? new int[] {random.nextInt(VirtualCluster.MOST_SOCKET_MS)}
        : steps.message(from, arrivals());
  }

  private int[] arrivals() {
    if (time.nowNs() < badLinksUntilNs) {
      return switch (random.nextInt(10)) {
        case 0 -> Network.LOST;
        case 1 -> new int[] {random.nextInt(500), random.nextInt(5_000)};
        case 2 -> new int[] {random.nextInt(12_000)};
        default -> new int[] {random.nextInt(200)};
      };
    }
    return VirtualCluster.delay(random);
  }

  /** What the nodes do in it until its last runs begin. */
  static Map<String, Steps.Count> count(Scenario scenario) {
    Simulation simulation = new Simulation(scenario, false);
    simulation.carryOut();
    return simulation.steps.counts();
  }

  /** Sizes of the collections that daemons hold at rest behind the last run, by field; the largest of all nodes. */
  static Map<String, Integer> residue(Scenario scenario) {
    Simulation simulation = new Simulation(scenario, false);
    simulation.residue = Optional.of(new TreeMap<>());
    simulation.carryOut();
    if (!simulation.violations.isEmpty()) {
      throw new AssertionError(scenario + ": " + simulation.violations);
    }
    return simulation.residue.get();
  }

  private void violated(Invariant invariant, String what) {
    violations.add(new Violation(invariant, what));
    cluster.trace().note("VIOLATED " + invariant);
  }

  private void stop(Invariant invariant, String what) {
    violated(invariant, what);
    throw new Stopped();
  }

  private void said(String what) {
    calls.add(time.nowNs() / NS_PER_MS + " ms: " + what);
    cluster.trace().note(what);
  }

  // The course of a scenario

  private void all() throws IOException {
    main.inspection().plantFilesOfTheUser();
    shared.syncAll();
    List<String> hosts = new ArrayList<>(Scenario.names(scenario.nodes()));
    List<String> spares = new ArrayList<>(Scenario.names(scenario.nodes() + scenario.spares())
        .subList(scenario.nodes(), scenario.nodes() + scenario.spares()));
    hosts.forEach(this::start);
    spares.forEach(this::start);
    boolean wasQuiet = true;
    steps.count(true);
    for (int run = 0; run < scenario.steps().size(); run++) {
      int number = run;
      List<Trouble> troubles = scenario.troubles().stream().filter(trouble -> trouble.run() == number).toList();
      boolean calm = troubles.isEmpty() && isDisarmed();
      boolean quiet = wasQuiet && calm;
      scenario.placement(run).ifPresent(random -> Collections.shuffle(hosts, random));
      Optional<Stop> stop = scenario.stop(run);
      stop.filter(halt -> halt.checkpoints() > 0).ifPresent(halt ->
          operates(conditions -> conditions.withCheckpointsLeft(OptionalInt.of(halt.checkpoints()))));
      mostCheckpoints = quiet ? stop.map(Stop::checkpoints).orElse(0) : 0;
      Optional<String> toDrain = scenario.drained(run).stream().mapToObj(hosts::get).findFirst();
      AtomicBoolean isOn = new AtomicBoolean(true);
      toDrain.ifPresent(node ->
          scenario.drainAskedMs(number).ifPresent(ms -> script.after(ms, () -> drainsLater(node, isOn.get()))));
      scenario.scavengedMs(number).ifPresent(ms -> script.after(ms, () -> commands.scavengeBeside(number, job)));
      scenario.rival().filter(plan -> plan.run() == number).ifPresent(plan -> {
        script.after(plan.afterMs(), () -> rival.orElseThrow().begin());
        plan.endsMs().ifPresent(ms -> script.after(plan.afterMs() + ms, this::rivalEnds));
      });
      Optional<Order> order = scenario.order(number);
      order.filter(amid -> amid.afterMs().isPresent()).ifPresent(amid ->
          script.after(amid.afterMs().getAsInt(), () -> orders(amid)));
      run(main, number, hosts, scenario.steps().get(run), troubles);
      isOn.set(false);
      order.filter(behind -> behind.afterMs().isEmpty()).ifPresent(this::orders);
      if (!time.runUntil(orders::areAnswered, bound())) {
        stop(Invariant.EVERY_CALL_IS_ANSWERED, "what an operator has asked of " + orders);
      }
      mostCheckpoints = 0;
      if (quiet && hasFailed() && !(stop.isPresent() && wasRefused()) && !hadNoRoom() && !isBarred()) {
        stop(Invariant.WORKS_WITHOUT_FAULTS, "run " + run + ": " + failures());
      }
      if (scenario.isScavengedBehind(run)) {
        commands.scavengeBeside(run, job);
      }
      wasQuiet = quiet || calm && ranks.stream().allMatch(rank -> rank.failure == null);
      replace(hosts, spares);
      checkUnfinished(run);
      if (stop.isPresent()) {
        admit(number, hosts, stop.get());
        replace(hosts, spares);
      }
      if (scenario.variant().scans()) {
        commands.scan(number);
      }
      if (scenario.variant().guest() && run == 0) {
        calm = isDisarmed();
        run(guest, GUEST_RUNS + number, hosts, 1, List.of());
        if (wasQuiet && calm && hasFailed()) {
          stop(Invariant.WORKS_WITHOUT_FAULTS, "the guest: " + failures());
        }
        replace(hosts, spares);
      }
      wasQuiet &= toDrain.isEmpty() || !goesDrained(run, toDrain.get(), hosts, spares);
      if (scenario.endsAllocation(run)) {
        endAllocation(run);
      }
      cluster.pass(scenario.rest(run));
    }
    Stream.concat(away.stream(), hosts.stream()).distinct().filter(name -> !cluster.isAlive(name)).toList()
        .forEach(this::start);
    away.clear();
    machines.values().forEach(Machine::disarm);
    steps.disarm();
    steps.count(false);
    keptBehind = Optional.empty();
    if (scenario.seed() % 2 == 0) {                       // the end of a run would wait for all that is pending
      cluster.pass(Duration.ofSeconds(30));
      checkPrefix();
      checkOutput();
      cluster.alive().forEach(this::checkQuestions);
    }
    if (scenario.variant().secondJob()) {
      nextJob();
    }
    rival.ifPresent(this::awaitEnd);
    scenario.placement(scenario.steps().size()).ifPresent(random -> Collections.shuffle(hosts, random));
    lastRuns(main, hosts, spares);
    if (scenario.variant().guest()) {
      lastRuns(guest, hosts, spares);
    }
    rivalEnds();
    cluster.pass(Duration.ofSeconds(30));
    checkPrefix();
    checkOutput();
    rest();
    checkLeaks();
    checkOtherJobs();
    if (random.nextInt(3) == 0) {
      fetchAll(hosts);
    }
    main.inspection().checkFilesOfTheUser();
  }

  private void rivalEnds() {
    rival.ifPresent(RivalJob::end);
    checkPrefix();
  }

  /** Its runs have ended; it may still be flushing. */
  private void awaitEnd(RivalJob other) {
    if (!time.runUntil(other::isOver, MOST_OF_RIVAL)) {
      stop(Invariant.EVERY_CALL_IS_ANSWERED, other.toString());
    }
    checkPrefix();
  }

  /** The job ends, and the next one gets its nodes, with what it has left there. */
  private void nextJob() throws IOException {
    checkPrefix();
    List<String> names = List.copyOf(cluster.alive());
    names.forEach(name -> kill(name, 0));
    machines.keySet().forEach(this::copyLost);            // the caches are those of the other job
    job = SECOND_JOB;
    cluster.use(settings(job));
    otherJobs.putAll(cachesOfFirstJob());
    said("job " + job + " begins");
    cluster.launch();
    names.forEach(this::start);
    cluster.launch();
  }

  /** All daemons end; what they have cached is scavenged, and is there still when they start again. */
  private void endAllocation(int run) {
    checkPrefix();
    List<String> names = List.copyOf(cluster.alive());
    names.forEach(name -> kill(name, 0));
    cluster.pass(LEASES_END);
    commands.scavengeAll(run, job, false);
    main.ledger().attempts().forEach(attempt -> attempt.isFlushedAgain = true);
    cluster.launch();
    names.forEach(this::start);
    cluster.launch();
  }

  private Map<String, byte[]> cachesOfFirstJob() {
    Map<String, byte[]> found = new HashMap<>();
    machines.forEach((name, machine) -> collect(machine.disk.root(), name, found));
    return found;
  }

  private static void collect(SimulatedDisk.Inode directory, String path, Map<String, byte[]> found) {
    directory.entries.forEach((name, entry) -> {
      String there = path + "/" + name;
      if (entry.isDirectory()) {
        collect(entry, there, found);
      } else if (there.contains("/scr." + FIRST_JOB + "/")) {
        found.put(there, entry.content());
      }
    });
  }

  private void checkOtherJobs() {
    if (!job.equals(FIRST_JOB)) {
      Map<String, byte[]> now = cachesOfFirstJob();
      otherJobs.forEach((path, bytes) -> {
        if (!java.util.Arrays.equals(bytes, now.get(path))) {
          violated(Invariant.JOBS_STAY_APART, path + (now.containsKey(path) ? " has other bytes" : " is gone"));
        }
      });
    }
  }

  /** An operator has something done with one of the newest datasets that have no other one of their number. */
  private void orders(Order order) {
    List<Attempt> all = Stream.of(main, guest).flatMap(program -> program.ledger().attempts().stream())
        .filter(attempt -> attempt.id > 0).toList();
    List<Attempt> known = main.ledger().attempts().stream().filter(attempt -> attempt.id > 0)
        .filter(attempt -> all.stream().filter(other -> other.id == attempt.id).count() == 1).toList();
    List<String> nodes = List.copyOf(cluster.alive());
    if (order.back() < known.size() && !nodes.isEmpty()) {
      orders.give(order, nodes.get(order.back() % nodes.size()), main.ledger(),
          known.get(known.size() - 1 - order.back()), this::mayAllHear);
    }
  }

  /**
   * An operator drains a node behind a run. One that is called drained may go: that costs no copy.
   *
   * @param node it may have had to be replaced, after it was asked for that amid the run
   * @return whether it has gone, which the others may notice late
   */
  private boolean goesDrained(int run, String node, List<String> hosts, List<String> spares) {
    boolean drained = isDrained(node);
    said(node + (drained ? " is drained" : " is not drained"));
    boolean goes = drained && hosts.contains(node) && scenario.goesDrained(run);
    if (goes) {
      kill(node, random.nextInt(8_000));
      machines.put(node, newMachine(node));
      lost.add(node);
      // what is in the prefix directory did not have to be moved
      lostSince.forEach(
          (attempt, groups) -> groups.addAll(attempt.wasFlushed ? Set.of(scenario.group(node)) : Set.of()));
      replace(hosts, spares);
    }
    long endNs = time.nowNs() + BOUND.toNanos();
    while (cluster.isAlive(node)
        && asks(node, DrainRequest.cancel(node)).filter(DrainState.NONE::equals).isEmpty()) {
      if (time.nowNs() >= endNs) {
        stop(Invariant.EVERY_CALL_IS_ANSWERED, "the drain of " + node + " cannot be cancelled");
      }
      cluster.pass(Duration.ofSeconds(1));
    }
    return goes;
  }

  private boolean isDrained(String node) {
    Set<DrainState> goOn = EnumSet.of(DrainState.WAITING, DrainState.DRAINING);
    Optional<DrainState> state = asks(node, DrainRequest.begin(node, false));
    for (long endNs = time.nowNs() + BOUND.toNanos(); state.filter(goOn::contains).isPresent()
        && time.nowNs() < endNs; state = asks(node, DrainRequest.look(node))) {
      cluster.pass(Duration.ofSeconds(1));
    }
    return state.filter(DrainState.DRAINED::equals).isPresent();
  }

  /** Asks for a drain behind the run that is on; whether that was heard shows then. */
  private void drainsLater(String node, boolean isOn) {
    if (isOn && cluster.isAlive(node)) {
      said(node + " is to be drained behind the run");
      ScrClient client = cluster.client(node);
      client.drain(DrainRequest.begin(node, true)).whenComplete((_, _) -> client.close());
    }
  }

  /** Of the node that it is about, which knows no more than its leader. @return empty: refused, or not heard */
  private Optional<DrainState> asks(String node, DrainRequest request) {
    if (!cluster.isAlive(node)) {
      return Optional.empty();
    }
    ScrClient client = cluster.client(node);
    try {
      Future<JsonObject> answer = Future.fromCompletionStage(client.drain(request)).map(JsonObject::new);
      if (!time.runUntil(() -> answer.isComplete() || !cluster.isAlive(node), BOUND)) {
        stop(Invariant.EVERY_CALL_IS_ANSWERED, request + " of " + node);
      }
      return answer.succeeded() ? Optional.of(DrainState.valueOf(answer.result().getString("state")))
          : Optional.empty();
    } finally {
      client.close();
    }
  }

  private boolean isDisarmed() {
    return keptBehind.isEmpty() && !steps.isArmed() && machines.values().stream().noneMatch(Machine::isArmed);
  }

  private void lastRuns(Program program, List<String> hosts, List<String> spares) throws IOException {
    boolean ended = false;
    for (int tries = 1; !ended && tries <= LAST_TRIES; tries++) {
      if (tries == LAST_TRIES) {
        time.runUntil(cluster.members()::areWhole, MERGES);
      }
      run(program, (program == guest ? GUEST_RUNS : 0) + scenario.steps().size() - 1 + tries, hosts, 1, List.of());
      ended = !hasFailed();
      replace(hosts, spares);
    }
    if (!ended && !isInTheWay() && !hadNoRoom() && !isBarred()) {
      stop(Invariant.WORKS_WITHOUT_FAULTS, "the last runs: " + failures());
    }
  }

  /** A run waits for somebody to drop what another program has lost parts of, under the id of its checkpoint. */
  private boolean isInTheWay() {
    return ranks.stream().allMatch(rank -> rank.failure != null && rank.failure.contains("one dataset of an id only"));
  }

  /**
   * A run that is to begin in the prefix directory could not flush what is cached for it, as another job has taken that
   * over, or has published a dataset of the same id.
   */
  private boolean isBarred() {
    return flushesInTurns()
        && ranks.stream().allMatch(rank -> rank.failure != null && rank.failure.contains("could not be flushed to"));
  }

  /** Whether a run that begins flushes what is cached, while a rival may do the same. */
  private boolean flushesInTurns() {
    return rival.isPresent() && scenario.parameters().get("SCR_FLUSH_ON_RESTART").equals("1");
  }

  /**
   * A run could not begin, as its only checkpoint is in the prefix directory, and caches have no room for it; or it
   * could not go on, as output that nobody can flush is all that its store may have.
   */
  private boolean hadNoRoom() {
    return scenario.room().isPresent() && !hasRoom(due(main.ledger()))
        && ranks.stream().allMatch(rank -> rank.failure != null)
        && ranks.stream().anyMatch(rank -> rank.failure.startsWith(Fault.NO_SPACE + " "))
        && ranks.stream().allMatch(rank -> rank.failure.startsWith(Fault.NO_SPACE + " ")
            || rank.failure.startsWith(Fault.RANK_LOST + " "));   // the others may hear of who has heard that first
  }

  /** Has the halt file changed, as soon as nobody else changes the directory. */
  private void operates(UnaryOperator<Halt> change) {
    while (!operator.changes(change)) {
      cluster.pass(Duration.ofMillis(100));
    }
  }

  /** After a run that was halted: nobody may begin another one before it is said so. */
  private void admit(int run, List<String> hosts, Stop stop) throws IOException {
    if (stop.isTriedAgain() && operator.hasHalted()) {
      run(main, run, hosts, 0, List.of());
      boolean began = ranks.stream().anyMatch(rank -> rank.hasRestarted);
      if (began && scenario.troubles().stream().noneMatch(trouble -> trouble.kind().hurtsPrefix())) {
        stop(Invariant.HALTS_ARE_OBEYED, "a run began after run " + run + " although the halt file forbids it");
      }
    }
    operates(_ -> Halt.NONE);
  }

  /** All daemons end, and all caches go: what is flushed is what is left, and what was scavenged between. */
  private void fetchAll(List<String> hosts) throws IOException {
    if (scenario.profile().kinds().contains(Kind.PREFIX_ROTS) && random.nextBoolean()) {
      rotPrefix(List.of());
    }
    boolean scavenged = random.nextBoolean() && !scenario.variant().deeds();
    Optional<Attempt> due = due(main.ledger()).filter(attempt -> !attempt.isRotten)     // what is published stays
        .filter(attempt -> main.ledger().attempts().stream()    // nor is what is older than that scavenged
            .noneMatch(other -> other.isRotten && other.number > attempt.number));
    if (scavenged) {
      List.copyOf(cluster.alive()).forEach(name -> kill(name, 0));
      commands.scavengeAll(scenario.steps().size() + LAST_TRIES, job, true);
    }
    List.copyOf(machines.keySet()).forEach(name -> lose(name, 0));
    for (String name : List.copyOf(lost)) {
      start(name);
    }
    run(main, scenario.steps().size() + LAST_TRIES, hosts, 0, List.of());
    if (hasFailed() && hadNoRoom()) {
      return;
    }
    if (hasFailed()) {
      stop(Invariant.WORKS_WITHOUT_FAULTS, "after the loss of all caches: " + failures());
    }
    int offered = ranks.getFirst().offered == null ? -1 : ranks.getFirst().offered.number;
    if (scavenged && due.isPresent() && offered < due.get().number) {
      violated(Invariant.NEWEST_IS_OFFERED, "after a scavenge a run is offered " + ranks.getFirst().offered + ", and "
          + due.get() + " was there before");
    }
  }

  /** Asked at each event, as is {@link #isOver}. */
  private boolean hasFailed() {
    for (Rank rank : ranks) {
      if (rank.failure != null) {
        return true;
      }
    }
    return false;
  }

  private boolean isOver() {
    for (Rank rank : ranks) {
      if (!rank.isOver()) {
        return false;
      }
    }
    return true;
  }

  private String failures() {
    return ranks.stream().filter(rank -> rank.failure != null).map(rank -> "rank " + rank.number + ": " + rank.failure)
        .findFirst().orElse("");
  }

  /** A daemon that finds its disk full says so and ends; whoever has started it tries again. */
  private void start(String name) {
    for (long endNs = time.nowNs() + BOUND.toNanos(); !starts(name, endNs); ) {
      cluster.pass(Duration.ofSeconds(1));
    }
    machine(name).daemon(cluster.loop(name));
    hasBegun.add(name);
    lost.remove(name);
  }

  private boolean starts(String name, long endNs) {
    try {
      cluster.start(name);
      return true;
    } catch (ScrException e) {
      if (e.fault() != Fault.NO_SPACE || time.nowNs() >= endNs) {
        throw e;
      }
      said(name + " does not start: " + e.getMessage());
      return false;
    }
  }

  /** What a launcher does before it starts the program again. */
  private void replace(List<String> hosts, List<String> spares) {
    for (int i = 0; i < hosts.size(); i++) {
      String host = hosts.get(i);
      if (cluster.isAlive(host)) {
        continue;
      }
      Optional<String> spare = spares.stream().filter(cluster::isAlive).findFirst();
      boolean replaced = spare.isPresent() && (lost.contains(host) || away.contains(host));
      if (replaced) {
        hosts.set(i, spare.get());
        spares.remove(spare.get());
      } else {
        start(host);
        away.remove(host);
      }
    }
    cluster.pass(Duration.ofMillis(random.nextBoolean() ? random.nextInt(2_000) : random.nextInt(20_000)));
  }

  // A run

  /** A rank of the run that is on. */
  private final class Rank {
    final Program program;
    final int number;
    final String node;
    ScrClient client;
    boolean gone;
    boolean ended;
    boolean hasRestarted;
    String failure;
    String waitsFor;
    long sinceNs;
    Attempt offered;
    int asked;

    Rank(Program program, int number, String node) {
      this.program = program;
      this.number = number;
      this.node = node;
    }

    boolean isOver() {
      return gone || ended;
    }

    <T> Future<T> call(String what, Future<T> answer) {
      if (!answer.isComplete()) {
        waitsFor = what;
        sinceNs = time.nowNs();
      }
      return answer.onComplete(_ -> waitsFor = null);
    }

    Path path(Path routed) {
      return machine(node).files.getPath(routed.toString());
    }

    /** Its process ends. */
    void dies() {
      if (!isOver()) {
        gone = true;
        failure = "it died";
        if (client != null) {
          client.close();
        }
      }
    }
  }

  private void run(Program program, int run, List<String> hosts, int steps, List<Trouble> troubles)
      throws IOException {
    runs++;
    hasBegun.clear();
    runBeganNs = time.nowNs();
    ranks = new ArrayList<>();
    advice = new HashMap<>();
    for (int number = 0; number < program.ledger().ranks(); number++) {
      ranks.add(new Rank(program, number, hosts.get(number / program.ranksPerNode())));
    }
    troubles.forEach(trouble -> script.after(trouble.afterMs(), () -> strikes(trouble)));
    List<Rank> mine = ranks;
    if (steps > 0 && program == main) {
      scenario.stop(run).filter(halt -> halt.checkpoints() == 0)
          .ifPresent(halt -> script.after(halt.afterMs(), () -> haltNow(mine)));
    }
    boolean[] killed = new boolean[1];
    long troublesNs = time.nowNs() + NS_PER_MS * troubles.stream().mapToInt(Trouble::afterMs).max().orElse(0);
    for (Rank rank : ranks) {
      begin(rank, run, steps);
    }
    long boundNs = bound().toNanos();
    while (!isOver()) {
      machines.values().forEach(machine -> faultsEndNs = Math.max(faultsEndNs, machine.failedNs()));
      long deadlineNs = Math.max(Math.max(faultsEndNs, troublesNs), lastProgressNs()) + boundNs;
      if (time.nowNs() >= deadlineNs) {
        stop(Invariant.EVERY_CALL_IS_ANSWERED, "run " + run + ": " + waiting());
      }
      time.runUntil(() -> isOver() || cluster.bus().events().size() > eventsSeen
              || rival.isPresent() && rival.get().hasPublished()
              || !killed[0] && hasFailed(),
          Duration.ofNanos(deadlineNs - time.nowNs()));
      look();
      if (!violations.isEmpty()) {
        throw new Stopped();
      }
      if (!killed[0] && hasFailed()) {
        killed[0] = true;
        script.after(LAUNCHER_MS, () -> killWhoCannotBegin(mine));
      }
    }
    time.runUntil(() -> false, Duration.ofNanos(Math.max(0, Math.max(faultsEndNs, troublesNs) - time.nowNs())));
    checkOffers(run);
    checkPrefix();
  }

  private Duration bound() {
    return scenario.variant().limited() || flushesInTurns() ? BOUND_OF_LIMITED
        : scenario.room().isPresent() ? BOUND_OF_SMALL : BOUND;
  }

  /** Whether it was halted before it had begun. */
  private boolean wasRefused() {
    return ranks.stream().allMatch(rank -> rank.failure != null && rank.failure.startsWith(Fault.HALTED + " "));
  }

  private void haltNow(List<Rank> running) {
    if (running.stream().anyMatch(rank -> !rank.isOver())
        && !operator.changes(halt -> halt.withReason(Optional.of("JOB_HALTED")))) {
      script.after(ROT_DELAY_MS, () -> haltNow(running));
    }
  }

  /** A launcher ends the processes of a job that has lost one. Those who are in the run must hear of it by then. */
  private static void killWhoCannotBegin(List<Rank> of) {
    of.stream().filter(rank -> "init".equals(rank.waitsFor)).forEach(Rank::dies);
  }

  private long lastProgressNs() {
    return ranks.stream().filter(rank -> !rank.isOver()).mapToLong(rank -> rank.sinceNs).min().orElse(0);
  }

  private String waiting() {
    return ranks.stream().filter(rank -> !rank.isOver())
        .map(rank -> "rank " + rank.number + " on " + rank.node + " waits for " + rank.waitsFor + " since "
            + rank.sinceNs / NS_PER_MS + " ms").toList().toString();
  }

  private void begin(Rank rank, int run, int steps) {
    if (!cluster.isAlive(rank.node)) {
      rank.dies();
      return;
    }
    rank.client = cluster.client(rank.node);
    rank.sinceNs = time.nowNs();
    Future<?> program = rank.call("init", Future.fromCompletionStage(
            rank.client.init(new InitRequest(rank.number, rank.program.ledger().ranks(), rank.program.prefix(),
                "test"))).map(VirtualSession::new))
        .compose(session -> restart(rank, session).onSuccess(_ -> rank.hasRestarted = true)
            .compose(step -> checkpoints(rank, session, run, step + 1, step + steps))
            .compose(_ -> rank.call("finish", session.finish())));
    program.onComplete((_, failure) -> {
      if (rank.gone) {
        return;
      }
      rank.ended = true;
      rank.client.close();
      if (failure != null) {
        rank.failure = told(rank, failure);
      }
      said("rank " + rank.number + " of run " + run + (failure == null ? " ends" : " fails: " + rank.failure));
    });
  }

  /** What a rank was told; it must be of use to somebody. */
  private String told(Rank rank, Throwable failure) {
    if (!(failure instanceof ScrException scr) || scr.fault() == Fault.INTERNAL) {
      StringWriter stack = new StringWriter();
      failure.printStackTrace(new PrintWriter(stack));
      violated(Invariant.NO_BUGS, "rank " + rank.number + ": " + stack);
      return failure.toString();
    }
    String text = scr.fault() + " " + scr.getMessage();
    boolean names = switch (scr.fault()) {
      case NODE_LOST, RANK_LOST -> text.matches("(?s).*(node n|rank )\\d.*");
      default -> scr.getMessage() != null && !scr.getMessage().isBlank();
    };
    if (!names) {
      violated(Invariant.FAILURES_NAME_THE_CAUSE, "rank " + rank.number + ": " + text);
    }
    return text;
  }

  private Future<Integer> restart(Rank rank, VirtualSession session) {
    return rank.call("restart", session.restart()).compose(found -> {
      if (found.isEmpty()) {
        checkIsNewest(rank, Optional.empty());
        return Future.succeededFuture(0);
      }
      VirtualSession.VirtualPhase phase = found.get();
      List<Attempt> read = new ArrayList<>();
      Future<Void> all = Future.succeededFuture();
      for (int file = 0; file < scenario.files(); file++) {
        int number = file;
        all = all.compose(_ -> rank.call("route", phase.route("rank-" + rank.number + "-" + number)))
            .map(path -> reads(rank, phase.name(), number, rank.path(path), read));
      }
      return all.onSuccess(_ -> checkIsNewest(rank, read.stream().findFirst()))
          .compose(_ -> rank.call("complete-restart", phase.complete(read.size() == scenario.files())))
          .map(_ -> {
            rank.offered = read.isEmpty() ? null : read.getFirst();
            noteRestart(rank.offered);
            return Ledger.step(phase.name());
          });
    });
  }

  /** All ranks have read it, where the last one of them has. */
  private void noteRestart(Attempt offered) {
    if (offered != null && ranks.stream().allMatch(rank -> rank.offered == offered)) {
      offered.readOn.clear();
      ranks.forEach(rank -> offered.readOn.add(rank.node));
    }
  }

  private Void reads(Rank rank, String name, int file, Path path, List<Attempt> read) {
    if (rank.gone) {
      return null;
    }
    try {
      Optional<Attempt> whose = rank.program.ledger().whose(Files.readAllBytes(path), rank.number, file);
      if (whose.isEmpty() || !name.equals("step-" + whose.get().step)
          || !read.isEmpty() && read.getFirst() != whose.get()) {
        violated(Invariant.OFFERED_IS_GOOD, "rank " + rank.number + " reads in " + path + " of " + name
            + " the bytes of " + whose);
      }
      whose.ifPresent(read::add);
    } catch (IOException e) {
      violated(Invariant.OFFERED_IS_GOOD, "rank " + rank.number + " cannot read " + path + " of " + name + ": " + e);
    }
    return null;
  }

  private Future<Void> checkpoints(Rank rank, VirtualSession session, int run, int first, int last) {
    Output output = scenario.variant().output();
    return first > last ? Future.succeededFuture()
        : dataset(rank, session, run, first,
            output == Output.CHECKPOINTS ? DatasetFlags.CHECKPOINT_AND_OUTPUT : DatasetFlags.CHECKPOINT)
            .compose(_ -> output == Output.BESIDE
                ? dataset(rank, session, run, Scenario.OUTPUT_STEPS + first, DatasetFlags.OUTPUT)
                : Future.succeededFuture())
            .compose(_ -> deed(rank, session, run, first))
            .compose(_ -> shouldExit(rank, session, run))
            .compose(exit -> checkpoints(rank, session, run, first + 1, exit ? first : last));
  }

  private Future<Boolean> shouldExit(Rank rank, VirtualSession session, int run) {
    if (!scenario.variant().halts()) {
      return Future.succeededFuture(false);
    }
    int number = ++rank.asked;
    return rank.call("should-exit", session.shouldExit()).onSuccess(exit -> {
      long written = main.ledger().attempts().stream().filter(attempt -> attempt.run == run && attempt.isCheckpoint()
          && attempt.acknowledged).count();
      if (mostCheckpoints > 0 && (exit ? written < mostCheckpoints : written > mostCheckpoints)) {
        violated(Invariant.HALTS_ARE_OBEYED, "rank " + rank.number + " of run " + run + " is told " + exit + " behind "
            + written + " checkpoints, and may write " + mostCheckpoints);
      }
      Boolean others = advice.putIfAbsent(number, exit);
      if (others != null && !others.equals(exit)) {
        violated(Invariant.HALTS_ARE_OBEYED, "rank " + rank.number + " of run " + run + " is told " + exit
            + " at its question " + number + ", others " + others);
      }
    });
  }

  private Future<Void> deed(Rank rank, VirtualSession session, int run, int step) {
    Optional<Deed> due = rank.program == main && run < scenario.steps().size()
        ? scenario.deed(run, step) : Optional.empty();
    if (due.isEmpty()) {
      return Future.succeededFuture();
    }
    Deed deed = due.get();
    Wish wish = rank.program.ledger().wish(run, step, deed);
    String name = "step-" + deed.step();
    return rank.call(deed.toString(), switch (deed.action()) {
      case CURRENT -> session.current(name);
      case DROP -> session.drop(name);
      case DELETE -> session.delete(name);
    }).onSuccess(_ -> done(rank, wish)).recover(failure -> {
      boolean goesOn = Fault.of(failure) == Fault.NO_SUCH_DATASET
          || Fault.of(failure) == Fault.CORRUPT
          && rank.program.ledger().attempts().stream().anyMatch(attempt -> attempt.isRotten);
      return goesOn ? Future.succeededFuture() : Future.failedFuture(failure);
    });
  }

  private void done(Rank rank, Wish wish) {
    boolean all = mayAllHear();
    if (!rank.gone && wish.isGranted(all || mayAllRead())) {
      said(wish + " is done");
      if (all) {
        main.inspection().checkDeleted(wish);
      }
    }
  }

  private boolean mayAllHear() {
    return machines.keySet().stream().allMatch(cluster::isAlive)
        && scenario.troubles().stream().noneMatch(trouble -> trouble.kind().hidesNodes());
  }

  /** What a node does not hear, as it is away, it reads in the prefix directory when it is back. */
  private boolean mayAllRead() {
    return scenario.troubles().stream()
        .noneMatch(trouble -> trouble.kind().hidesNodes() || trouble.kind().hurtsPrefix());
  }

  private Future<Void> dataset(Rank rank, VirtualSession session, int run, int step, DatasetFlags flags) {
    return rank.call("start " + step, session.startOutput("step-" + step, flags)).compose(phase -> {
      Attempt attempt = rank.program.ledger().attempt(run, step, flags);
      attempt.nodes.add(rank.node);
      lostSince.computeIfAbsent(attempt, _ -> {
        attempt.begunNs = time.nowNs();
        return away.stream().map(scenario::group).collect(Collectors.toCollection(HashSet::new));
      });
      List<String> failed = new ArrayList<>();
      Future<Void> written = Future.succeededFuture();
      for (int file = 0; file < scenario.files(); file++) {
        int number = file;
        String name = rank.program.prefix() + "/" + scenario.path(step, rank.number, file);
        written = written.compose(_ -> rank.call("route", phase.route(name))).map(path -> {
          attempt.isIn(rank.path(path));
          attempt.tolerance = scenario.tolerance(path.toString());
          return writes(rank, rank.path(path), Ledger.bytes(attempt, rank.number, number), failed);
        });
      }
      boolean clashes = scenario.variant().clashes() && step % CLASHES == 0;
      if (clashes && rank.number == 1) {
        String ofRank0 = rank.program.prefix() + "/" + scenario.path(step, 0, 0);
        written = written.compose(_ -> rank.call("route", phase.route(ofRank0)))
            .map(path -> writes(rank, rank.path(path), Ledger.bytes(attempt, rank.number, 0), failed));
      }
      return written.recover(failure -> {
        failed.add(failure.toString());
        return lacksRoom(failure) ? Future.succeededFuture() : Future.failedFuture(failure);
      }).compose(_ -> pause(random.nextInt(200))).compose(_ -> {
        if (failed.isEmpty() && !rank.gone && !clashes) {
          attempt.called.add(rank.number);
        }
        return rank.call("complete " + step, phase.complete(failed.isEmpty()));
      }).map(_ -> {
        if (clashes) {
          violated(Invariant.OFFERED_IS_GOOD, attempt + " was acknowledged, and two ranks have written one path");
        }
        return acknowledged(rank, attempt);
      }).otherwise(failure -> {
        if (Fault.of(failure) == Fault.NOT_VALID && (clashes || !failed.isEmpty())) {
          return null;                                    // its own doing; it goes on
        }
        throw failure instanceof RuntimeException known ? known : new IllegalStateException(failure);
      });
    }).recover(failure -> lacksRoom(failure) ? Future.succeededFuture() : Future.failedFuture(failure));
  }

  /** Of this rank or of another one; all of them go on without the dataset. */
  private boolean lacksRoom(Throwable failure) {
    return roomBytes.isPresent() && Set.of(Fault.NO_SPACE, Fault.NOT_VALID).contains(Fault.of(failure));
  }

  private Void acknowledged(Rank rank, Attempt attempt) {
    if (!rank.gone && !attempt.acknowledged) {
      attempt.acknowledged = true;
      acknowledgedNs = wallNs();
      said(attempt + " is complete");
      if (attempt.isCheckpoint() && roomBytes.isEmpty()) {
        scenario.room().ifPresent(this::shrink);
      }
      losePowerBehind();
      if (!attempt.dropped.isEmpty()) {
        violated(Invariant.EVICTED_IS_REPLACED, attempt + " was acknowledged, and has been deleted by "
            + attempt.dropped);
      }
      if (attempt.isInPlace) {
        checkPrefix();
        if (!attempt.flushed && !attempt.isRotten) {
          violated(Invariant.NEWEST_IS_OFFERED, attempt + " was acknowledged and is not in the index");
        }
      }
    }
    return null;
  }

  private Void writes(Rank rank, Path path, byte[] bytes, List<String> failed) {
    if (!rank.gone) {
      try {
        Files.write(path, bytes);
      } catch (IOException e) {
        failed.add(e.toString());
      }
    }
    return null;
  }

  private Future<Void> pause(int ms) {
    Promise<Void> promise = Promise.promise();
    script.after(ms, promise::complete);
    return promise.future();
  }

  // Faults

  private void strikes(Trouble trouble) {
    faultsEndNs = Math.max(faultsEndNs, time.nowNs() + Math.max(0, trouble.kind() == Kind.CLOCK ? 0 : trouble.forMs())
        * NS_PER_MS);
    said("fault " + trouble);
    Duration some = Duration.ofMillis(trouble.forMs());
    List<String> struck = trouble.nodes().stream().filter(cluster::isAlive).toList();
    if (struck.isEmpty()) {
      return;
    }
    String one = struck.getFirst();
    switch (trouble.kind()) {
      case RANK_DIES -> ranks.stream().filter(rank -> rank.node.equals(one)).findFirst().ifPresent(Rank::dies);
      case DAEMON_DIES -> kill(one, 0);
      case DAEMON_DIES_WITHIN -> machine(one).strikeAt(trouble.number(), () -> kill(one, 0));
      case DAEMON_STAYS_AWAY -> struck.forEach(node -> {
        kill(node, 0);
        away.add(node);
        copyLost(node);
      });
      case NODE_IS_LOST -> struck.forEach(node -> lose(node, random.nextInt(8_000)));
      case NODE_IS_LOST_WITHIN -> {
        struck.forEach(this::copyLost);
        machine(one).strikeAt(trouble.number(), () -> struck.forEach(node -> lose(node, random.nextInt(8_000))));
      }
      case NODE_LOSES_POWER -> struck.forEach(node -> {
        copyLost(node);
        kill(node, random.nextInt(8_000));
        machine(node).disk.powerLoss(trouble.kept(), random);
        machine(node).boots();
        shared.powerLossOf(node, trouble.kept(), random);
      });
      case ALL_LOSE_POWER -> allLosePower(trouble.kept());
      case ALL_LOSE_POWER_BEHIND -> keptBehind = Optional.of(trouble.kept());
      case BYTE_ROTS -> struck.forEach(node -> rot(node, ranks));
      case ALL_LOSE_POWER_WITHIN -> machine(one).strikeAt(trouble.number(), () -> {
        strikesNow(trouble);
        Stream.of(main, guest).forEach(program -> program.inspection().look());
        losePower(trouble.kept());
      });
      case PAUSE -> pause(one, some);
      case PAUSE_WITHIN -> machine(one).strikeAt(trouble.number(), () -> {
        strikesNow(trouble);
        if (!machine(one).stands(some, true)) {
          pause(one, some);
        }
      });
      case MESSAGE_IS_LOST -> steps.strikeMessage(one, trouble.number(), _ -> {
        strikesNow(trouble);
        return Network.LOST;
      });
      case MESSAGE_IS_LATE -> steps.strikeMessage(one, trouble.number(), arrivals -> {
        strikesNow(trouble);
        return new int[] {arrivals[0] + trouble.forMs()};
      });
      case MESSAGE_IS_REPEATED -> steps.strikeMessage(one, trouble.number(), arrivals -> {
        strikesNow(trouble);
        return new int[] {arrivals[0], arrivals[0] + trouble.forMs()};
      });
      case CLOCK -> cluster.clockAhead(one, some);
      case CUT, CUT_ONE_WAY -> cut(trouble, some);
      case BAD_LINKS -> badLinksUntilNs = time.nowNs() + some.toNanos();
      case DISK_FAILS -> machine(one).failAt(trouble.number(), false);
      case DISK_IS_FULL -> {
        fill(machine(one).disk, some);
        fullUntilNs = Math.max(fullUntilNs, time.nowNs() + some.toNanos());
      }
      case DISK_HANGS -> {
        cluster.hangStorage(one, true);
        cluster.after(one, some, name -> cluster.hangStorage(name, false));
      }
      case PREFIX_FAILS -> machine(one).failAt(trouble.number(), true);
      case PREFIX_IS_AWAY -> {
        machine(one).failPrefix(some);
        prefixAwayUntilNs = Math.max(prefixAwayUntilNs, time.nowNs() + some.toNanos());
      }
      case PREFIX_IS_FULL -> {
        if (store.isEmpty()) {
          fill(shared, some);
          return;
        }
        struck.forEach(node -> machine(node).failPrefix(some));
        prefixAwayUntilNs = Math.max(prefixAwayUntilNs, time.nowNs() + some.toNanos());
      }
      case PREFIX_HANGS -> {
        machine(one).hangPrefix(some);
        prefixAwayUntilNs = Math.max(prefixAwayUntilNs, time.nowNs() + some.toNanos());
      }
      case PREFIX_ROTS -> rotPrefix(ranks);
      case PREFIX_LAGS -> struck.forEach(name -> machine(name).lagPrefix(some));
      case LOCK_IS_LOST -> machine(one).loseLockAt(
          trouble.number(), store.isPresent() ? some.multipliedBy(STANDS_LONGER) : some);
    }
  }

  /** A fault that came at a step, and lasts from then on. */
  private void strikesNow(Trouble trouble) {
    said(trouble.kind() + " strikes " + trouble.nodes());
    faultsEndNs = Math.max(faultsEndNs, time.nowNs() + trouble.forMs() * NS_PER_MS);
  }

  private void pause(String name, Duration some) {
    cluster.pause(name);
    cluster.after(name, some, cluster::resume);
  }

  private void allLosePower(Kept kept) {
    checkPrefix();
    losePower(kept);
  }

  private void losePower(Kept kept) {
    List.copyOf(cluster.alive()).forEach(name -> {
      copyLost(name);
      kill(name, 0);
      machine(name).disk.powerLoss(kept, random);
      machine(name).boots();
    });
    rival.ifPresent(other -> other.losePower(kept));
    shared.powerLoss(kept, random);
  }

  /** A rank has heard that a dataset is complete. Others of its nodes may not have. */
  private void losePowerBehind() {
    keptBehind.ifPresent(kept -> {
      keptBehind = Optional.empty();
      script.after(random.nextInt(MOST_BEHIND_MS), () -> {
        said("all lose their power");
        faultsEndNs = Math.max(faultsEndNs, time.nowNs());
        allLosePower(kept);
      });
    });
  }

  /** The first checkpoint is in the caches. */
  private void shrink(double room) {
    long largest =
        machines.values().stream().mapToLong(machine -> machine.files.bytes(Scenario.CACHES)).max().orElse(0);
    roomBytes = OptionalLong.of((long) (room * largest));
    machines.values().forEach(machine -> machine.files.shrink(Scenario.CACHES, roomBytes.getAsLong()));
    said("caches have " + roomBytes.getAsLong() + " bytes from now on");
  }

  private void fill(SimulatedDisk disk, Duration some) {
    disk.fill(true);
    script.after(some.toMillis(), () -> disk.fill(false));
  }

  private void cut(Trouble trouble, Duration some) {
    Set<String> these = new TreeSet<>(trouble.nodes());
    Set<String> others = new TreeSet<>(machines.keySet());
    others.removeAll(these);
    cluster.members().cut(these, others);
    if (trouble.kind() == Kind.CUT) {
      cluster.members().cut(others, these);
    }
    script.after(some.toMillis(), () -> {
      cluster.trace().note("the cut heals");
      cluster.members().heal(these, others);
      if (trouble.kind() == Kind.CUT) {
        cluster.members().heal(others, these);
      }
    });
  }

  private void kill(String name, int silenceMs) {
    cluster.kill(name, silenceMs);
    machine(name).daemon(null);
    machine(name).disk.release(name);
    shared.release(name);
    ranks.stream().filter(rank -> rank.node.equals(name) && !rank.isOver()).forEach(rank -> {
      rank.gone = true;
      rank.failure = "its node died";
    });
  }

  private void lose(String name, int silenceMs) {
    copyLost(name);
    if (cluster.isAlive(name)) {
      kill(name, silenceMs);
    }
    machines.put(name, newMachine(name));
    lost.add(name);
  }

  private void copyLost(String node) {
    lostSince.values().forEach(groups -> groups.add(scenario.group(node)));
  }

  /**
   * Not in what is being written, nor in what nobody has read yet: before its checksum is known, nobody could tell. Nor
   * in a file that is sealed, unless a restart reads those, too, nor between the check of a file and its read by a
   * rank: the scrub, which is not simulated, or the rank finds that.
   */
  private void rot(String node, List<Rank> running) {
    if (running.stream().anyMatch(Rank::isOver)) {
      return;
    }
    if (running.stream().anyMatch(rank -> !rank.isOver() && !rank.hasRestarted)) {
      script.after(ROT_DELAY_MS, () -> rot(node, running));
      return;
    }
    List<SimulatedDisk.Inode> files = new ArrayList<>();
    collect(machine(node).disk.root(), false, files);
    Set<Long> trusted = new HashSet<>();
    trusted(machine(node).disk.root(), trusted);
    files.removeIf(file -> file.modifiedNs >= acknowledgedNs || trusted.contains(file.number));
    if (!files.isEmpty()) {
      SimulatedDisk.Inode file = files.get(random.nextInt(files.size()));
      file.rot(random.nextInt(file.size()));
      copyLost(node);
      Stream.of(main, guest).flatMap(program -> program.ledger().attempts().stream())
          .filter(attempt -> attempt.cached.stream().anyMatch(path -> ((SimulatedPath) path).getFileSystem()
              == machine(node).files && machine(node).files.find((SimulatedPath) path) == file))
          .forEach(attempt -> attempt.rottenOn.add(scenario.group(node)));
    }
  }

  /** Inodes of files that a restart does not read, by the filemaps. */
  private void trusted(SimulatedDisk.Inode directory, Set<Long> inodes) {
    directory.entries.forEach((name, entry) -> {
      if (entry.isDirectory()) {
        trusted(entry, inodes);
      } else if (name.endsWith(".scrfilemap")) {
        FilemapFile.decode(entry.content()).ranks().forEach(rank -> {
          rank.files().files().forEach(file -> file.unread().ifPresent(known -> inodes.add(known.inode())));
          if (!scenario.readsAll()) {
            rank.seals().files().forEach(sealed -> sealed.ifPresent(seal -> inodes.add(seal.inode())));
          }
        });
      }
    });
  }

  /** Not between the look of a restart at the prefix directory and the reads of its ranks there. */
  private void rotPrefix(List<Rank> running) {
    if (running.stream().anyMatch(rank -> !rank.isOver() && !rank.hasRestarted)) {
      script.after(ROT_DELAY_MS, () -> rotPrefix(running));
      return;
    }
    main.inspection().rotting(random.nextInt(1 << 20)).ifPresent(rotting -> {
      Path path = rotting.files().get(random.nextInt(rotting.files().size()));
      if (view.rot(path, random)) {
        rotting.attempt().isRotten = true;
        said(path + " of " + rotting.attempt() + " rots");
      }
    });
  }

  private static void collect(SimulatedDisk.Inode directory, boolean inCache, List<SimulatedDisk.Inode> files) {
    directory.entries.forEach((name, entry) -> {
      if (entry.isDirectory()) {
        collect(entry, inCache || name.equals("cache") || name.equals(Scenario.SECOND), files);
      } else if (inCache && entry.size() > 0) {
        files.add(entry);
      }
    });
  }

  // Invariants

  /** What ranks were writing when their run ended has gone, where the daemon lives on and nothing kept it from that. */
  private void checkUnfinished(int run) {
    boolean isKept = scenario.troubles().stream()
        .anyMatch(trouble -> trouble.kind().hidesNodes() || trouble.kind().hurtsDisk());
    Set<String> resting = ranks.stream().map(rank -> rank.node).distinct()
        .filter(node -> cluster.isAlive(node) && !hasBegun.contains(node) && isAtRest(node))
        .collect(Collectors.toSet());
    main.ledger().attempts().stream().filter(attempt -> !isKept && attempt.run == run && !attempt.acknowledged)
        .flatMap(attempt -> attempt.cached.stream()
            .filter(path -> resting.contains(nodeOf(path)) && !attempt.saved.contains(nodeOf(path)))
            .filter(path -> machine(nodeOf(path)).files.find((SimulatedPath) path) != null)
            .map(path -> nodeOf(path) + " still has " + path + " of " + attempt + ", which nobody has completed"))
        .findFirst().ifPresent(left -> violated(Invariant.NOTHING_LEAKS, left));
  }

  private static String nodeOf(Path file) {
    return ((SimulatedPath) file).getFileSystem().node();
  }

  private void look() {
    List<JsonObject> events = cluster.bus().events();
    List<JsonObject> news = events.subList(eventsSeen, events.size());
    List<JsonObject> flushes = news.stream().filter(event -> event.getString("type").equals("flush-done")).toList();
    news.stream().filter(event -> event.getString("type").equals("published-damaged")).forEach(this::checkDamage);
    eventsSeen = events.size();
    if (!flushes.isEmpty() || rival.isPresent()) {
      checkPrefix();
      flushes.forEach(this::checkLimit);
    }
  }

  private void checkDamage(JsonObject event) {
    Stream.of(main, guest).filter(program -> program.prefix().toString().equals(event.getString("about")))
        .filter(program -> program.ledger().attempts().stream().noneMatch(attempt -> attempt.isRotten))
        .forEach(_ -> violated(Invariant.LISTED_IS_WHOLE, "published dataset " + event.getInteger("dataset")
            + " was found damaged, and nothing has rotted: " + event.getString("cause")));
  }

  /**
   * Nodes pay for a file behind it, so each has one for nothing. What a lost leader had copied is not seen, nor what is
   * flushed once more, as a rival has replaced it.
   */
  private void checkLimit(JsonObject flush) {
    boolean counts = scenario.variant().limited() && scenario.troubles().isEmpty() && rival.isEmpty()
        && scenario.variant().form() == Scenario.Form.FILES
        && scenario.parameters().get("SCR_FLUSH_ASYNC").equals("1") && flush.getInteger("attempt", 0) == 1;
    if (!counts) {
      return;
    }
    main.ledger().attempts().stream()
        .filter(attempt -> attempt.flushed && !attempt.isFlushedAgain && attempt.id == flush.getInteger("dataset"))
        .forEach(attempt -> {
          long bytes = main.ledger().bytesBehindFirst(attempt, main.ranksPerNode(), scenario.files());
          double seconds = flush.getLong("flushUs") / 1e6;
          if (bytes > scenario.bytesPerSecond() * seconds) {
            violated(Invariant.LIMITS_HOLD, attempt + " was flushed in " + seconds + " s, at least " + bytes
                + " bytes at no more than " + scenario.bytesPerSecond() + " a second");
          }
        });
  }

  /** What a restart of the run has offered. */
  private void checkOffers(int run) {
    List<Attempt> offered = ranks.stream().map(rank -> rank.offered).filter(java.util.Objects::nonNull).distinct()
        .toList();
    if (offered.size() > 1) {
      violated(Invariant.OFFERED_IS_GOOD, "run " + run + " was offered several checkpoints: " + offered);
    }
    offered.stream().filter(attempt -> !(attempt.isCheckpoint() && ranks.getFirst().program.ledger()
            .mayBeComplete(attempt)))
        .forEach(attempt -> violated(Invariant.OFFERED_IS_GOOD, "run " + run + " was offered " + attempt
            + ", which is no checkpoint that all ranks have completed"));
  }

  private void checkIsNewest(Rank rank, Optional<Attempt> offered) {
    if (offered.filter(Attempt::isOfRival).isPresent()) {
      return;                                             // which of the two is newer, nobody can say
    }
    if (rival.isPresent()) {
      checkPrefix();                                      // it may have replaced what was there
    }
    // the history of restarts is in the prefix directory: a leader that cannot read it does without
    offered.filter(attempt -> attempt.isRemoved || attempt.isPassedOver && prefixAwayUntilNs < runBeganNs)
        .ifPresent(attempt -> violated(Invariant.REMOVED_STAYS_AWAY, "rank " + rank.number + " is offered " + attempt
            + ", which was removed, or passed over"));
    Optional<Attempt> due = due(rank.program.ledger());
    boolean lacksRoom = offered.isPresent()               // an older one is better than none
        && (fullUntilNs >= runBeganNs || roomBytes.isPresent() && !hasRoom(due));
    // so it is where the newest is in the prefix directory alone, and some node cannot read that
    boolean isOutOfReach = offered.isPresent() && prefixAwayUntilNs >= runBeganNs
        && due.filter(attempt -> attempt.evicted.isEmpty() && isWithinTolerance(attempt)).isEmpty();
    if (!rank.gone && !lacksRoom && !isOutOfReach && due.isPresent()
        && offered.map(attempt -> attempt.number).orElse(-1) < due.get().number) {
      violated(Invariant.NEWEST_IS_OFFERED, "rank " + rank.number + " is offered " + offered.map(Attempt::toString)
          .orElse("nothing") + ", and " + due.get() + " was acknowledged"
          + (due.get().flushed ? " and is in the prefix directory" : "; lost since: " + lostSince.get(due.get())));
    }
  }

  /**
   * Whether nothing keeps all nodes from making room for it. It is in the prefix directory, or whole in the caches,
   * from where it can be brought there.
   */
  private boolean hasRoom(Optional<Attempt> due) {
    Scenario.Variant variant = scenario.variant();
    return due.filter(attempt -> (attempt.flushed && !attempt.isRotten || isWholeInCaches(attempt))
            && main.ledger().attempts().stream()
                .noneMatch(newer -> newer.number > attempt.number && !newer.saved.isEmpty())).isPresent()
        && !variant.guest() && variant.output() == Output.NONE;
  }

  private boolean isWholeInCaches(Attempt attempt) {
    return attempt.evicted.isEmpty() && lostSince.getOrDefault(attempt, Set.of()).isEmpty()
        && prefixAwayUntilNs < runBeganNs;
  }

  /** The newest that must be offered; empty: none has to be. */
  private Optional<Attempt> due(Ledger ledger) {
    return ledger.attempts().stream()
        .filter(attempt -> attempt.isCheckpoint() && (attempt.acknowledged || attempt.hasReplaced))
        .filter(attempt -> !attempt.isUnwanted)
        .filter(attempt -> attempt.flushed && !attempt.isRotten
            || attempt.evicted.isEmpty() && isWithinTolerance(attempt))
        .max(Comparator.comparingInt(attempt -> attempt.number));
  }

  private boolean isWithinTolerance(Attempt attempt) {
    return !attempt.isInPlace && lostSince.getOrDefault(attempt, Set.of()).size() <= attempt.tolerance;
  }

  /** Nobody waits for what nobody will answer; a question of the scrub, or of a flush, is answered some time. */
  private void checkQuestions(String name) {
    for (long endNs = time.nowNs() + bound().toNanos(); cluster.unanswered(name) > 0 && time.nowNs() < endNs; ) {
      cluster.pass(Duration.ofMillis(50));
    }
    if (cluster.unanswered(name) > 0) {
      violated(Invariant.NOTHING_LEAKS, name + " waits for " + cluster.unanswered(name)
          + " answers, and the last run with faults is over");
    }
  }

  /** When there was time to flush all that can be flushed, without a run. */
  private void checkOutput() {
    for (long endNs = time.nowNs() + FLUSHES.toNanos(); !missing().isEmpty() && time.nowNs() < endNs; ) {
      cluster.pass(Duration.ofSeconds(30));
      checkPrefix();
    }
    missing().forEach(attempt -> violated(Invariant.OUTPUT_ARRIVES,
        attempt + " was acknowledged; lost since: " + lostSince.get(attempt)));
  }

  private List<Attempt> missing() {
    return Stream.of(main, guest).flatMap(program -> program.ledger().attempts().stream()
        .filter(attempt -> attempt.acknowledged && !attempt.flushed
            && (attempt.flags.output() || attempt.isOrdered && !attempt.wasFlushed && !mayBeOvertaken(program, attempt))
            && !attempt.isUnwanted && !attempt.isRotten
            && (attempt.isInPlace || isWithinTolerance(attempt)) && !program.ledger().isBarred(attempt)
            && !program.ledger().mayBeReplaced(attempt, scenario.mayBypass()))).toList();
  }

  /** Whether a newer checkpoint of the same paths may have come there before, or it may have gone for newer ones. */
  private boolean mayBeOvertaken(Program program, Attempt attempt) {
    boolean goes = !scenario.parameters().get("SCR_PREFIX_SIZE").equals("0");
    return goes || scenario.rolling() && program.ledger().attempts().stream().anyMatch(
        newer -> newer.number > attempt.number && newer.isCheckpoint() && newer.wasFlushed);
  }

  private void checkPrefix() {
    main.inspection().check();
    if (scenario.variant().guest()) {
      guest.inspection().check();
    }
  }

  /** Nothing more comes of time where all daemons have forgotten everything already. */
  private void rest() {
    long endNs = time.nowNs() + REST.toNanos();
    do {
      cluster.pass(LEAST_REST);
    } while (time.nowNs() < endNs && !cluster.alive().stream().allMatch(this::isAtRest));
  }

  private void checkLeaks() {
    for (String name : cluster.alive()) {
      awaitEndOfScrub(name);
      if (!machine(name).files.openFiles().isEmpty()) {
        violated(Invariant.NOTHING_LEAKS, name + " has open files: " + machine(name).files.openFiles());
      }
      if (!machine(name).leases().isEmpty() || !machine(name).openUploads().isEmpty() && !isFlushPending(name)) {
        violated(Invariant.NOTHING_LEAKS, name + " has leases " + machine(name).leases() + " and uploads "
            + machine(name).openUploads() + " in the object store");
      }
      if (shared.locks(name) > 0) {
        violated(Invariant.NOTHING_LEAKS, name + " has " + shared.locks(name) + " locks of the prefix file system");
      }
      checkLevel(name);
    }
  }

  /** What it has copied of a dataset that it still holds, a later attempt goes on with. */
  private boolean isFlushPending(String name) {
    return cluster.store(name).list().stream().anyMatch(record -> record.flush() != FlushState.DONE);
  }

  /** It reads now and then, and asks other nodes then; what stays at rest is seen all the same. */
  private void awaitEndOfScrub(String name) {
    for (int looks = 1; looks < LOOKS_AT_REST && !isAtRest(name); looks++) {
      cluster.pass(Duration.ofMillis(50));
    }
  }

  /** Datasets on a node that could not be repaired: each is tried again some time later. */
  private long damaged(String name) {
    DatasetStore store = cluster.store(name);
    return store.list().stream().filter(record -> !store.damaged().of(record).isEmpty()).count();
  }

  /** A daemon at rest has what it had when it began, whatever has happened in between. */
  private void checkLevel(String name) {
    residue.ifPresent(found -> cluster.residue(name).forEach((field, size) -> found.merge(field, size, Math::max)));
    if (!isAtRest(name)) {
      violated(Invariant.NOTHING_LEAKS, name + " at rest: " + time.level(cluster.loop(name)) + ", and "
          + cluster.unanswered(name) + " questions without an answer");
    }
  }

  private boolean isAtRest(String name) {
    VirtualTime.Level level = time.level(cluster.loop(name));
    int healings = roomBytes.isPresent() ? 1 : 0;         // tried again, until there is room for lost parts
    long barred = main.ledger().attempts().stream().filter(main.ledger()::isBarred).count();   // each is tried again
    return level.jobs() == 0 && level.timers() <= MOST_TIMERS + damaged(name) + healings + barred
        && level.promises() <= MOST_PROMISES && cluster.unanswered(name) == 0;
  }
}
