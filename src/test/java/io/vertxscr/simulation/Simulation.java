package io.vertxscr.simulation;

import io.vertxscr.model.Halt;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.Ledger.Attempt;
import io.vertxscr.simulation.Outcome.Invariant;
import io.vertxscr.simulation.Scenario.Order;
import io.vertxscr.simulation.Scenario.Stop;
import io.vertxscr.simulation.Trouble.Kind;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Carries out a {@link Scenario} and watches the invariants. Everything follows from the scenario.
 *
 * <p>The launcher's part is played here: before each run it starts the daemons again that have ended, and takes a spare
 * for each node that is lost. A last run without faults follows those of the scenario.
 */
final class Simulation {
  private static final int LAST_TRIES = 4;
  /** Within which parts of a cluster have become one after a heal. */
  private static final Duration MERGES = Duration.ofMinutes(1);
  /** Until all runs of a rival have ended. */
  private static final Duration MOST_OF_RIVAL = Duration.ofMinutes(30);
  private static final String SECOND_JOB = "2";
  private static final int GUEST_RUNS = 100;
  /** Of those that daemons have had in an object store when they ended. */
  private static final Duration LEASES_END = Duration.ofSeconds(30);

  private final World world;
  private final Scenario scenario;
  private final Random random;
  private final VirtualTime time;
  private final Loop script;
  private final VirtualCluster cluster;
  private final Map<String, Machine> machines;
  private final Program main;
  private final Program guest;
  private final Strikes strikes;
  private final Invariants invariants;
  private final Operator operator;
  private final OperatorOrders orders;
  private final OperatorCommands commands;
  private final IndexEdits edits;
  private final OperatorDrains drains;
  private final ClaimedLosses losses;
  private final ProgramRuns runs;
  private final List<String> hosts;
  private final List<String> spares;
  /** Whether nothing has happened so far that may fail a run. */
  private boolean isQuiet = true;
  /** Of the first job, when the second one begins: bytes by node and path. */
  private final Map<String, byte[]> otherJobs = new HashMap<>();

  private Simulation(Scenario scenario, boolean readable) {
    this.world = new World(scenario, readable);
    this.scenario = world.scenario;
    this.random = world.random;
    this.time = world.time;
    this.script = world.script;
    this.cluster = world.cluster;
    this.machines = world.machines;
    this.main = world.main;
    this.guest = world.guest;
    this.strikes = new Strikes(world);
    this.invariants = new Invariants(world);
    this.operator = new Operator(world.view.files(), main.prefix(), script.clock());
    this.orders = new OperatorOrders(cluster, world::said);
    this.drains = new OperatorDrains(world);
    this.losses = new ClaimedLosses(world);
    this.runs = new ProgramRuns(world, operator, strikes, invariants);
    OfflineTools tools = new OfflineTools(time, scenario.overtaking("scr"),
        new SimulatedDisk(world::wallNs), world.shared, world.store, main.prefix(), script.clock());
    this.commands = new OperatorCommands(scenario, main, tools, machines,
        new OperatorCommands.Site(cluster::isAlive, world::isWithinTolerance, world::said, world::checkPrefix,
            () -> cluster.pass(LEASES_END), world::violated));
    this.edits = new IndexEdits(world, commands, tools);
    List<String> names = Scenario.names(scenario.nodes() + scenario.spares());
    this.hosts = new ArrayList<>(names.subList(0, scenario.nodes()));
    this.spares = new ArrayList<>(names.subList(scenario.nodes(), names.size()));
  }

  /** Runs it. @param readable whether the trace is kept as text */
  static Outcome run(Scenario scenario, boolean readable) {
    Simulation simulation = new Simulation(scenario, readable);
    simulation.carryOut();
    World world = simulation.world;
    return new Outcome(scenario, world.violations, world.calls, world.cluster.trace().hash(), world.cluster.story(),
        simulation.runs.count(),
        simulation.main.ledger().attempts().size() + simulation.guest.ledger().attempts().size());
  }

  private void carryOut() {
    try {
      all();
    } catch (World.Stopped _) {
      // an invariant has been violated, and there is no going on
    } catch (IOException | RuntimeException | AssertionError e) {
      StringWriter stack = new StringWriter();
      e.printStackTrace(new PrintWriter(stack));
      world.violated(Invariant.NO_BUGS, stack.toString());
    }
  }

  /** What the nodes do in it until its last runs begin. */
  static Map<String, Map<Steps.Counted, Integer>> count(Scenario scenario) {
    Simulation simulation = new Simulation(scenario, false);
    simulation.carryOut();
    return simulation.world.steps.counts();
  }

  /** Sizes of the collections that daemons hold at rest behind the last run, by field; the largest of all nodes. */
  static Map<String, Integer> residue(Scenario scenario) {
    Simulation simulation = new Simulation(scenario, false);
    simulation.invariants.keepResidue();
    simulation.carryOut();
    if (!simulation.world.violations.isEmpty()) {
      throw new AssertionError(scenario + ": " + simulation.world.violations);
    }
    return simulation.invariants.residue();
  }

  // The course of a scenario

  private void all() throws IOException {
    main.inspection().plantFilesOfTheUser();
    world.shared.syncAll();
    hosts.forEach(world::start);
    spares.forEach(world::start);
    world.steps.count(true);
    for (int run = 0; run < scenario.steps().size(); run++) {
      next(run);
    }
    Stream.concat(world.away.stream(), hosts.stream()).distinct().filter(name -> !cluster.isAlive(name)).toList()
        .forEach(world::start);
    world.away.clear();
    strikes.disarm();
    if (scenario.seed() % 2 == 0) {                       // the end of a run would wait for all that is pending
      cluster.pass(Duration.ofSeconds(30));
      world.checkPrefix();
      invariants.checkOutput();
      cluster.alive().forEach(invariants::checkQuestions);
    }
    if (scenario.variant().secondJob()) {
      nextJob();
    }
    world.rival.ifPresent(this::awaitEnd);
    scenario.placement(scenario.steps().size()).ifPresent(random -> Collections.shuffle(hosts, random));
    lastRuns(main);
    if (scenario.variant().guest()) {
      lastRuns(guest);
    }
    rivalEnds();
    cluster.pass(Duration.ofSeconds(30));
    world.checkPrefix();
    invariants.checkOutput();
    invariants.rest();
    invariants.checkLeaks();
    checkOtherJobs();
    if (random.nextInt(3) == 0) {
      fetchAll();
    }
    main.inspection().checkFilesOfTheUser();
  }

  /** One of the runs with faults, what goes on beside it, and what comes behind it. */
  private void next(int run) throws IOException {
    List<Trouble> troubles = scenario.troubles().stream().filter(trouble -> trouble.run() == run).toList();
    boolean calm = troubles.isEmpty() && strikes.isDisarmed();
    boolean quiet = isQuiet && calm;
    scenario.placement(run).ifPresent(random -> Collections.shuffle(hosts, random));
    Optional<Stop> stop = scenario.stop(run);
    stop.filter(halt -> halt.checkpoints() > 0).ifPresent(halt ->
        operates(conditions -> conditions.withCheckpointsLeft(OptionalInt.of(halt.checkpoints()))));
    runs.mayWrite(quiet ? stop.map(Stop::checkpoints).orElse(0) : 0);
    Optional<String> toDrain = scenario.drained(run).stream().mapToObj(hosts::get).findFirst();
    AtomicBoolean isOn = new AtomicBoolean(true);
    toDrain.ifPresent(node ->
        scenario.drainAskedMs(run).ifPresent(ms -> script.after(ms, () -> drains.drainsLater(node, isOn.get()))));
    beside(run);
    runs.run(main, run, hosts, scenario.steps().get(run), troubles);
    isOn.set(false);
    scenario.order(run).filter(behind -> behind.afterMs().isEmpty()).ifPresent(this::orders);
    if (!time.runUntil(orders::areAnswered, world.bound())) {
      world.stop(Invariant.EVERY_CALL_IS_ANSWERED, "what an operator has asked of " + orders);
    }
    runs.mayWrite(0);
    boolean mayFail = stop.isPresent() && runs.wasRefused() || runs.hadNoRoom() || runs.isBarred();
    if (quiet && runs.hasFailed() && !mayFail) {
      world.stop(Invariant.WORKS_WITHOUT_FAULTS, "run " + run + ": " + runs.failures());
    }
    if (scenario.isScavengedBehind(run)) {
      commands.scavengeBeside(run, world.job);
    }
    isQuiet = quiet || calm && world.ranks.stream().allMatch(rank -> rank.failure == null);
    replace();
    invariants.checkUnfinished(run);
    if (stop.isPresent()) {
      admit(run, stop.get());
      replace();
    }
    if (scenario.variant().scans()) {
      commands.scan(run);
    }
    edits.behind(run);
    if (scenario.variant().guest() && run == 0) {
      runGuest();
    }
    isQuiet &= toDrain.isEmpty() || !goesDrained(run, toDrain.get());
    if (scenario.endsAllocation(run)) {
      endAllocation(run);
    }
    scenario.lostBehind(run).ifPresent(random -> {
      losses.lose(hosts, random);
      isQuiet = false;
      replace();
    });
    cluster.pass(scenario.rest(run));
  }

  /** What begins amid a run, besides faults. */
  private void beside(int run) {
    scenario.scavengedMs(run).ifPresent(ms -> script.after(ms, () -> commands.scavengeBeside(run, world.job)));
    scenario.rival().filter(plan -> plan.run() == run).ifPresent(plan -> {
      script.after(plan.afterMs(), () -> world.rival.orElseThrow().begin());
      plan.endsMs().ifPresent(ms -> script.after(plan.afterMs() + ms, this::rivalEnds));
    });
    scenario.edits(run).forEach(edit ->
        edit.afterMs().ifPresent(ms -> script.after(ms, () -> edits.edit(run, edit))));
    scenario.order(run).filter(amid -> amid.afterMs().isPresent()).ifPresent(amid ->
        script.after(amid.afterMs().getAsInt(), () -> orders(amid)));
  }

  private void runGuest() throws IOException {
    boolean calm = strikes.isDisarmed();
    runs.run(guest, GUEST_RUNS, hosts, 1, List.of());
    if (isQuiet && calm && runs.hasFailed()) {
      world.stop(Invariant.WORKS_WITHOUT_FAULTS, "the guest: " + runs.failures());
    }
    replace();
  }

  private void rivalEnds() {
    world.rival.ifPresent(RivalJob::end);
    world.checkPrefix();
  }

  /** Its runs have ended; it may still be flushing. */
  private void awaitEnd(RivalJob other) {
    if (!time.runUntil(other::isOver, MOST_OF_RIVAL)) {
      world.stop(Invariant.EVERY_CALL_IS_ANSWERED, other.toString());
    }
    world.checkPrefix();
  }

  /** The job ends, and the next one gets its nodes, with what it has left there. */
  private void nextJob() throws IOException {
    world.checkPrefix();
    List<String> names = List.copyOf(cluster.alive());
    names.forEach(name -> world.kill(name, 0));
    machines.keySet().forEach(world::copyLost);           // the caches are those of the other job
    world.job = SECOND_JOB;
    cluster.use(world.settings(world.job));
    otherJobs.putAll(cachesOfFirstJob());
    world.said("job " + world.job + " begins");
    cluster.launch();
    names.forEach(world::start);
    cluster.launch();
  }

  /** All daemons end; what they have cached is scavenged, and is there still when they start again. */
  private void endAllocation(int run) {
    world.checkPrefix();
    List<String> names = List.copyOf(cluster.alive());
    names.forEach(name -> world.kill(name, 0));
    cluster.pass(LEASES_END);
    Optional<Attempt> due = toScavenge();
    if (commands.scavengeAll(run, world.job, false)) {
      due.filter(attempt -> !attempt.isUnwanted && main.ledger().attempts().stream()
              .noneMatch(other -> other.number >= attempt.number && other.isCheckpoint() && other.flushed))
          .ifPresent(attempt -> world.violated(Invariant.NEWEST_IS_OFFERED,
              attempt + " was there before a scavenge, and is not in the index, nor is any newer one"));
    }
    main.ledger().attempts().forEach(attempt -> attempt.isFlushedAgain = true);
    cluster.launch();
    names.forEach(world::start);
    cluster.launch();
  }

  private Map<String, byte[]> cachesOfFirstJob() {
    Map<String, byte[]> found = new HashMap<>();
    machines.forEach((name, machine) -> machine.disk.collect(name, found));
    found.keySet().removeIf(path -> !path.contains("/scr." + World.FIRST_JOB + "/"));
    return found;
  }

  private void checkOtherJobs() {
    if (!world.job.equals(World.FIRST_JOB)) {
      Map<String, byte[]> now = cachesOfFirstJob();
      otherJobs.forEach((path, bytes) -> {
        if (!Arrays.equals(bytes, now.get(path))) {
          world.violated(Invariant.JOBS_STAY_APART, path + (now.containsKey(path) ? " has other bytes" : " is gone"));
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
          known.get(known.size() - 1 - order.back()), world::mayAllHear);
    }
  }

  /**
   * An operator drains a node behind a run. One that is called drained may go: that costs no copy.
   *
   * @param node it may have had to be replaced, after it was asked for that amid the run
   * @return whether it has gone, which the others may notice late
   */
  private boolean goesDrained(int run, String node) {
    boolean drained = drains.isDrained(node);
    world.said(node + (drained ? " is drained" : " is not drained"));
    boolean goes = drained && hosts.contains(node) && scenario.goesDrained(run);
    if (goes) {
      world.kill(node, random.nextInt(8_000));
      machines.put(node, world.newMachine(node));
      world.lost.add(node);
      // what is in the prefix directory did not have to be moved
      world.lostSince.forEach(
          (attempt, groups) -> groups.addAll(attempt.wasFlushed ? Set.of(scenario.group(node)) : Set.of()));
      replace();
    }
    drains.cancel(node);
    return goes;
  }

  private void lastRuns(Program program) throws IOException {
    boolean ended = false;
    for (int tries = 1; !ended && tries <= LAST_TRIES; tries++) {
      if (tries == LAST_TRIES) {
        time.runUntil(cluster.members()::areWhole, MERGES);
      }
      runs.run(program, (program == guest ? GUEST_RUNS : 0) + scenario.steps().size() - 1 + tries, hosts, 1, List.of());
      ended = !runs.hasFailed();
      replace();
    }
    if (!ended && !runs.isInTheWay() && !runs.hadNoRoom() && !runs.isBarred()) {
      world.stop(Invariant.WORKS_WITHOUT_FAULTS, "the last runs: " + runs.failures());
    }
  }

  /** Has the halt file changed, as soon as nobody else changes the directory. */
  private void operates(UnaryOperator<Halt> change) {
    while (!operator.changes(change)) {
      cluster.pass(Duration.ofMillis(100));
    }
  }

  /** After a run that was halted: nobody may begin another one before it is said so. */
  private void admit(int run, Stop stop) throws IOException {
    if (stop.isTriedAgain() && operator.hasHalted()) {
      runs.run(main, run, hosts, 0, List.of());
      boolean began = world.ranks.stream().anyMatch(rank -> rank.hasRestarted);
      if (began && !scenario.hurtsPrefix()) {
        world.stop(Invariant.HALTS_ARE_OBEYED, "a run began after run " + run + " although the halt file forbids it");
      }
    }
    operates(_ -> Halt.NONE);
  }

  /** All daemons end, and all caches go: what is flushed is what is left, and what was scavenged between. */
  private void fetchAll() throws IOException {
    if (scenario.profile().kinds().contains(Kind.PREFIX_ROTS) && random.nextBoolean()) {
      strikes.rotPrefix(List.of());
    }
    int last = scenario.steps().size() + LAST_TRIES;
    boolean scavenged = random.nextBoolean() && !scenario.variant().deeds();
    Optional<Attempt> due = toScavenge();
    if (scavenged) {
      List.copyOf(cluster.alive()).forEach(name -> world.kill(name, 0));
      scavenged = commands.scavengeAll(last, world.job, true);
    }
    List.copyOf(machines.keySet()).forEach(name -> world.lose(name, 0));
    for (String name : List.copyOf(world.lost)) {
      world.start(name);
    }
    strikes.disarm();
    edits.behind(last);
    runs.run(main, last, hosts, 0, List.of());
    if (runs.hasFailed() && runs.hadNoRoom()) {
      return;
    }
    if (runs.hasFailed()) {
      world.stop(Invariant.WORKS_WITHOUT_FAULTS, "after the loss of all caches: " + runs.failures());
    }
    Attempt offered = world.ranks.getFirst().offered;
    if (scavenged && due.filter(attempt -> !attempt.isUnwanted).isPresent()
        && (offered == null || offered.number < due.get().number && !offered.isOfRival())) {
      world.violated(Invariant.NEWEST_IS_OFFERED,
          "after a scavenge a run is offered " + offered + ", and " + due.get() + " was there before");
    }
  }

  /** The newest that a scavenge of all caches must publish, unless it is there already; or a newer one. */
  private Optional<Attempt> toScavenge() {
    return invariants.due(main.ledger())
        .filter(attempt -> !attempt.isRotten)             // what is published stays
        .filter(attempt -> main.ledger().attempts().stream()   // nor is what is older than that scavenged
            .noneMatch(other -> other.isRotten && other.number > attempt.number));
  }

  /** What a launcher does before it starts the program again. */
  private void replace() {
    for (int i = 0; i < hosts.size(); i++) {
      String host = hosts.get(i);
      if (cluster.isAlive(host)) {
        continue;
      }
      Optional<String> spare = spares.stream().filter(cluster::isAlive).findFirst();
      boolean replaced = spare.isPresent() && (world.lost.contains(host) || world.away.contains(host));
      if (replaced) {
        hosts.set(i, spare.get());
        spares.remove(spare.get());
      } else {
        world.start(host);
        world.away.remove(host);
      }
    }
    cluster.pass(Duration.ofMillis(random.nextBoolean() ? random.nextInt(2_000) : random.nextInt(20_000)));
  }
}
