package io.vertxscr.simulation;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.client.ScrClient;
import io.vertxscr.config.Settings;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.FetchCopy;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.Ledger.Attempt;
import io.vertxscr.simulation.Outcome.Invariant;
import io.vertxscr.simulation.Outcome.Violation;
import io.vertxscr.simulation.Scenario.Output;
import io.vertxscr.simulation.Trouble.Kind;
import io.vertxscr.storage.LocalFiles;
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
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * Carries out a {@link Scenario} and watches the invariants. Everything follows from the scenario.
 *
 * <p>The launcher's part is played here: before each run it starts the daemons again that have ended, and takes a spare
 * for each node that is lost. A last run without faults follows those of the scenario.
 */
final class Simulation {
  private static final String PREFIX = "/pfs/prefix";
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final long NS_PER_MS = 1_000_000;
  private static final int LAUNCHER_MS = 10_000;
  private static final int ROT_DELAY_MS = 20;
  private static final int LAST_TRIES = 4;
  /** Within which parts of a cluster have become one after a heal. */
  private static final Duration MERGES = Duration.ofMinutes(1);
  /** Of output behind a checkpoint, beside the checkpoint's own. */
  private static final int OUTPUT_STEPS = 1_000;
  private static final int CLASHES = 3;
  private static final Duration FLUSHES = Duration.ofMinutes(30);
  private static final byte[] OF_THE_USER = {1, 2, 3};
  private static final List<String> USERS_FILES = List.of("notes.txt", "step-1/results.txt", "rolling/of-the-user");

  private final Scenario scenario;
  private final Random random;
  private final VirtualTime time;
  private final Loop script;
  private final SimulatedDisk shared;
  private final SimulatedFileSystem inspector;
  private final VirtualCluster cluster;
  private final Map<String, Machine> machines = new LinkedHashMap<>();
  private final Ledger ledger;
  /** Nodes whose copies have gone since an attempt began: one may be lost before the ranks hear that all is there. */
  private final Map<Attempt, Set<String>> lostSince = new HashMap<>();
  private final Set<String> away = new TreeSet<>();
  private final Set<String> lost = new TreeSet<>();
  private final List<Violation> violations = new ArrayList<>();
  private final List<String> calls = new ArrayList<>();
  private List<Rank> ranks = List.of();
  private long faultsEndNs;
  private long badLinksUntilNs;
  private long runBeganNs;
  /** Of the nodes' own disks. */
  private long fullUntilNs;
  private long acknowledgedNs;
  private int eventsSeen;
  private int runs;

  private Simulation(Scenario scenario, boolean readable) {
    this.scenario = scenario;
    this.random = new Random(scenario.seed());
    this.time = new VirtualTime(random);
    this.script = time.loop();
    this.shared = new SimulatedDisk(this::wallNs);
    this.inspector = new SimulatedFileSystem(
        "inspector", new SimulatedDisk(this::wallNs), shared, SimulatedFileSystem.Interference.NONE);
    this.ledger = new Ledger(scenario.ranks());
    Map<String, String> environment = new HashMap<>(Map.of("SCR_CNTL_BASE", "/local/cntl", "SCR_CACHE_BASE",
        "/local/cache", "SCR_JOB_ID", "1", "SCR_JOB_NAME", "test", "SCR_USER_NAME", "user", "SCR_CLUSTER_NAME",
        "cluster"));
    environment.putAll(scenario.environment());
    this.cluster = new VirtualCluster(random, time, Settings.load(environment, Optional.of(configuration())),
        Path.of(PREFIX), name -> machine(name).local(), readable, this::arrivals);
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
    try {
      simulation.all();
    } catch (Stopped _) {
      // an invariant has been violated, and there is no going on
    } catch (IOException | RuntimeException | AssertionError e) {
      StringWriter stack = new StringWriter();
      e.printStackTrace(new PrintWriter(stack));
      simulation.violated(Invariant.NO_BUGS, stack.toString());
    }
    return new Outcome(scenario, simulation.violations, simulation.calls, simulation.cluster.trace().hash(),
        simulation.cluster.story(), simulation.runs, simulation.ledger.attempts().size());
  }

  /** The end of a simulation that has failed. */
  private static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stopped() {
      super(null, null, false, false);
    }
  }

  private long wallNs() {
    return VirtualCluster.BEGINNING.getEpochSecond() * 1_000_000_000L + time.nowNs();
  }

  private Machine machine(String name) {
    return machines.computeIfAbsent(
        name, _ -> new Machine(name, time, new SimulatedDisk(this::wallNs), shared));
  }

  private int[] arrivals(String from, String to) {
    if (from.equals(to) || from.isEmpty()) {
      return new int[] {random.nextInt(VirtualCluster.MOST_SOCKET_MS)};
    } else if (time.nowNs() < badLinksUntilNs) {
      return switch (random.nextInt(10)) {
        case 0 -> Network.LOST;
        case 1 -> new int[] {random.nextInt(500), random.nextInt(5_000)};
        case 2 -> new int[] {random.nextInt(12_000)};
        default -> new int[] {random.nextInt(200)};
      };
    }
    return VirtualCluster.delay(random);
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
    plantFilesOfTheUser();
    List<String> hosts = new ArrayList<>(Scenario.names(scenario.nodes()));
    List<String> spares = new ArrayList<>(Scenario.names(scenario.nodes() + scenario.spares())
        .subList(scenario.nodes(), scenario.nodes() + scenario.spares()));
    hosts.forEach(this::start);
    spares.forEach(this::start);
    boolean wasQuiet = true;
    for (int run = 0; run < scenario.steps().size(); run++) {
      int number = run;
      List<Trouble> troubles = scenario.troubles().stream().filter(trouble -> trouble.run() == number).toList();
      boolean calm = troubles.isEmpty() && machines.values().stream().noneMatch(Machine::isArmed);
      boolean quiet = wasQuiet && calm;
      run(number, hosts, scenario.steps().get(run), troubles);
      if (quiet && hasFailed()) {
        stop(Invariant.WORKS_WITHOUT_FAULTS, "run " + run + ": " + failures());
      }
      wasQuiet = quiet || calm && ranks.stream().allMatch(rank -> rank.failure == null);
      replace(hosts, spares);
    }
    List<String> back = away.stream().filter(name -> !cluster.isAlive(name)).toList();
    back.forEach(this::start);
    away.clear();
    machines.values().forEach(Machine::disarm);
    boolean ended = false;
    for (int tries = 1; !ended && tries <= LAST_TRIES; tries++) {
      if (tries == LAST_TRIES) {
        time.runUntil(cluster.members()::areWhole, MERGES);
      }
      run(scenario.steps().size() - 1 + tries, hosts, 1, List.of());
      ended = !hasFailed();
      replace(hosts, spares);
    }
    if (!ended) {
      stop(Invariant.WORKS_WITHOUT_FAULTS, "the last runs: " + failures());
    }
    cluster.pass(Duration.ofSeconds(30));
    checkPrefix();
    checkOutput();
    checkLeaks();
    if (random.nextInt(3) == 0) {
      fetchAll(hosts);
    }
    checkFilesOfTheUser();
  }

  /** All caches go: what is flushed is what is left. */
  private void fetchAll(List<String> hosts) throws IOException {
    List.copyOf(cluster.alive()).forEach(name -> lose(name, 0));
    for (String name : List.copyOf(lost)) {
      start(name);
    }
    run(scenario.steps().size() + LAST_TRIES, hosts, 0, List.of());
    if (hasFailed()) {
      stop(Invariant.WORKS_WITHOUT_FAULTS, "after the loss of all caches: " + failures());
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

  private void start(String name) {
    cluster.start(name);
    machine(name).daemon(cluster.loop(name));
    lost.remove(name);
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

    Rank(int number, String node) {
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

  private void run(int run, List<String> hosts, int steps, List<Trouble> troubles) throws IOException {
    runs++;
    runBeganNs = time.nowNs();
    ranks = new ArrayList<>();
    for (int number = 0; number < scenario.ranks(); number++) {
      ranks.add(new Rank(number, hosts.get(number / scenario.ranksPerNode())));
    }
    troubles.forEach(trouble -> script.after(trouble.afterMs(), () -> strikes(trouble)));
    List<Rank> mine = ranks;
    boolean[] killed = new boolean[1];
    long troublesNs = time.nowNs() + NS_PER_MS * troubles.stream().mapToInt(Trouble::afterMs).max().orElse(0);
    for (Rank rank : ranks) {
      begin(rank, run, steps);
    }
    while (!isOver()) {
      machines.values().forEach(machine -> faultsEndNs = Math.max(faultsEndNs, machine.failedNs()));
      long deadlineNs = Math.max(Math.max(faultsEndNs, troublesNs), lastProgressNs()) + BOUND.toNanos();
      if (time.nowNs() >= deadlineNs) {
        stop(Invariant.EVERY_CALL_IS_ANSWERED, "run " + run + ": " + waiting());
      }
      time.runUntil(() -> isOver() || cluster.bus().events().size() > eventsSeen
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
            rank.client.init(new InitRequest(rank.number, scenario.ranks(), PREFIX, "test"))).map(VirtualSession::new))
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
            return Integer.parseInt(phase.name().substring("step-".length()));
          });
    });
  }

  private Void reads(Rank rank, String name, int file, Path path, List<Attempt> read) {
    if (rank.gone) {
      return null;
    }
    try {
      Optional<Attempt> whose = ledger.whose(Files.readAllBytes(path), rank.number, file);
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
                ? dataset(rank, session, run, OUTPUT_STEPS + first, DatasetFlags.OUTPUT) : Future.succeededFuture())
            .compose(_ -> checkpoints(rank, session, run, first + 1, last));
  }

  private Future<Void> dataset(Rank rank, VirtualSession session, int run, int step, DatasetFlags flags) {
    return rank.call("start " + step, session.startOutput("step-" + step, flags)).compose(phase -> {
      Attempt attempt = ledger.attempt(run, step, flags);
      lostSince.computeIfAbsent(attempt, _ -> new HashSet<>(away));
      List<String> failed = new ArrayList<>();
      Future<Void> written = Future.succeededFuture();
      for (int file = 0; file < scenario.files(); file++) {
        int number = file;
        String name = PREFIX + "/" + directory(step) + "/rank-" + rank.number + "-" + file;
        written = written.compose(_ -> rank.call("route", phase.route(name)))
            .map(path -> writes(rank, rank.path(path), ledger.bytes(attempt, rank.number, number), failed));
      }
      boolean clashes = scenario.variant().clashes() && step % CLASHES == 0;
      if (clashes && rank.number == 1) {
        String ofRank0 = PREFIX + "/" + directory(step) + "/rank-0-0";
        written = written.compose(_ -> rank.call("route", phase.route(ofRank0)))
            .map(path -> writes(rank, rank.path(path), ledger.bytes(attempt, rank.number, 0), failed));
      }
      return written.compose(_ -> pause(random.nextInt(200))).compose(_ -> {
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
    });
  }

  private String directory(int step) {
    return scenario.rolling() && step < OUTPUT_STEPS ? "rolling" : "step-" + step;
  }

  private Void acknowledged(Rank rank, Attempt attempt) {
    if (!rank.gone && !attempt.acknowledged) {
      attempt.acknowledged = true;
      acknowledgedNs = wallNs();
      said(attempt + " is complete");
      if (scenario.isBypass()) {
        checkPrefix();
        if (!attempt.flushed) {
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
      case DAEMON_DIES_WITHIN -> machine(one).dieAt(trouble.number(), () -> kill(one, 0));
      case DAEMON_STAYS_AWAY -> {
        kill(one, 0);
        away.add(one);
        copyLost(one);
      }
      case NODE_IS_LOST -> lose(one, random.nextInt(8_000));
      case NODE_IS_LOST_WITHIN -> {
        copyLost(one);
        machine(one).dieAt(trouble.number(), () -> lose(one, random.nextInt(8_000)));
      }
      case NODE_LOSES_POWER -> {
        copyLost(one);
        kill(one, random.nextInt(8_000));
        machine(one).disk.powerLoss(trouble.kept(), random);
        shared.powerLossOf(one, trouble.kept(), random);
      }
      case ALL_LOSE_POWER -> {
        checkPrefix();
        List.copyOf(cluster.alive()).forEach(name -> {
          copyLost(name);
          kill(name, 0);
          machine(name).disk.powerLoss(trouble.kept(), random);
        });
        shared.powerLoss(trouble.kept(), random);
      }
      case BYTE_ROTS -> rot(one, ranks);
      case PAUSE -> {
        cluster.pause(one);
        cluster.after(one, some, cluster::resume);
      }
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
      case PREFIX_IS_FULL -> fill(shared, some);
      case PREFIX_HANGS -> machine(one).hangPrefix(some);
    }
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
    kill(name, silenceMs);
    machines.put(name, new Machine(name, time, new SimulatedDisk(this::wallNs), shared));
    lost.add(name);
  }

  private void copyLost(String node) {
    lostSince.values().forEach(nodes -> nodes.add(node));
  }

  /**
   * Not in what is being written: before it is protected, nobody could tell. Nor between the check of a file, which the
   * end of a run may bring, and its read by a rank of the next one, which nobody but the rank could notice.
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
    files.removeIf(file -> file.modifiedNs >= acknowledgedNs);
    if (!files.isEmpty()) {
      SimulatedDisk.Inode file = files.get(random.nextInt(files.size()));
      file.rot(random.nextInt(file.size()));
      copyLost(node);
    }
  }

  private static void collect(SimulatedDisk.Inode directory, boolean inCache, List<SimulatedDisk.Inode> files) {
    directory.entries.forEach((name, entry) -> {
      if (entry.isDirectory()) {
        collect(entry, inCache || name.equals("cache"), files);
      } else if (inCache && entry.size() > 0) {
        files.add(entry);
      }
    });
  }

  // Invariants

  private void look() {
    List<io.vertx.core.json.JsonObject> events = cluster.bus().events();
    boolean flushed = events.subList(eventsSeen, events.size()).stream()
        .anyMatch(event -> event.getString("type").equals("flush-done"));
    eventsSeen = events.size();
    if (flushed) {
      checkPrefix();
    }
  }

  /** What a restart of the run has offered. */
  private void checkOffers(int run) {
    List<Attempt> offered = ranks.stream().map(rank -> rank.offered).filter(java.util.Objects::nonNull).distinct()
        .toList();
    if (offered.size() > 1) {
      violated(Invariant.OFFERED_IS_GOOD, "run " + run + " was offered several checkpoints: " + offered);
    }
    offered.stream().filter(attempt -> !(attempt.isCheckpoint() && ledger.mayBeComplete(attempt)))
        .forEach(attempt -> violated(Invariant.OFFERED_IS_GOOD, "run " + run + " was offered " + attempt
            + ", which is no checkpoint that all ranks have completed"));
  }

  private void checkIsNewest(Rank rank, Optional<Attempt> offered) {
    Optional<Attempt> due = due();
    boolean lacksRoom = offered.isPresent() && fullUntilNs >= runBeganNs;    // an older one is better than none
    if (!rank.gone && !lacksRoom && due.isPresent()
        && offered.map(attempt -> attempt.number).orElse(-1) < due.get().number) {
      violated(Invariant.NEWEST_IS_OFFERED, "rank " + rank.number + " is offered " + offered.map(Attempt::toString)
          .orElse("nothing") + ", and " + due.get() + " was acknowledged"
          + (due.get().flushed ? " and is in the prefix directory" : "; lost since: " + lostSince.get(due.get())));
    }
  }

  /** The newest that must be offered; empty: none has to be. */
  private Optional<Attempt> due() {
    return ledger.attempts().stream()
        .filter(attempt -> attempt.isCheckpoint() && attempt.acknowledged)
        .filter(attempt -> attempt.flushed || isWithinTolerance(attempt))
        .max(Comparator.comparingInt(attempt -> attempt.number));
  }

  private boolean isWithinTolerance(Attempt attempt) {
    return !scenario.isBypass() && lostSince.getOrDefault(attempt, Set.of()).size() <= scenario.tolerance();
  }

  /** After the last run, when there was time to flush all that could be flushed. */
  private void checkOutput() {
    for (long endNs = time.nowNs() + FLUSHES.toNanos(); !missing().isEmpty() && time.nowNs() < endNs; ) {
      cluster.pass(Duration.ofSeconds(30));
      checkPrefix();
    }
    missing().forEach(attempt -> violated(Invariant.OUTPUT_ARRIVES,
        attempt + " was acknowledged; lost since: " + lostSince.get(attempt)));
  }

  private List<Attempt> missing() {
    return ledger.attempts().stream().filter(attempt -> attempt.flags.output() && attempt.acknowledged
        && !attempt.flushed && (scenario.isBypass() || isWithinTolerance(attempt))
        && !ledger.mayBeReplaced(attempt, scenario.isBypass())).toList();
  }

  private void checkPrefix() {
    Path prefix = inspector.getPath(PREFIX);
    Index index;
    try {
      index = new PrefixIndex(new PrefixPaths(prefix), new LockUser("inspector", new LocalFiles(inspector),
          Clock.fixed(cluster.now(), ZoneOffset.UTC))).read().index();
    } catch (ScrException e) {
      violated(Invariant.LISTED_IS_WHOLE, "the index cannot be read: " + e.getMessage());
      return;
    }
    ledger.attempts().forEach(attempt -> attempt.flushed = false);
    for (Index.Entry entry : index.entries()) {
      if (entry.complete()) {
        checkListed(prefix, entry);
      }
    }
  }

  private void checkListed(Path prefix, Index.Entry entry) {
    boolean asFiles = switch (scenario.variant().form()) {
      case FILES, BYPASS -> true;
      case CONTAINERS, COMPRESSED -> false;
    };
    String what = entry.name() + " (dataset " + entry.id() + ")";
    try {
      Path fetched = asFiles ? null : fetched(entry.id());
      Map<Attempt, Integer> found = new LinkedHashMap<>();
      for (int rank = 0; rank < scenario.ranks(); rank++) {
        for (int file = 0; file < scenario.files(); file++) {
          String path = directory(Integer.parseInt(entry.name().substring("step-".length()))) + "/rank-" + rank + "-"
              + file;
          Optional<Attempt> whose = asFiles ? owner(prefix.resolve(path), rank, file, entry.name())
              : ledger.whose(Files.readAllBytes(fetched.resolve(path)), rank, file);
          if (whose.isEmpty()) {
            violated(Invariant.LISTED_IS_WHOLE, path + " of " + what + " has other bytes");
            return;
          }
          found.merge(whose.get(), 1, Integer::sum);
        }
      }
      if (found.size() > 1) {
        violated(Invariant.LISTED_IS_WHOLE, what + " is a mixture of " + found);
      } else {
        found.keySet().forEach(attempt -> attempt.flushed = true);
      }
    } catch (IOException | ScrException e) {
      violated(Invariant.LISTED_IS_WHOLE, what + ": " + e);
    }
  }

  /** A directory with the files of a dataset as a restart would get them, by their paths, on a disk of its own. */
  private Path fetched(int id) throws IOException {
    SimulatedFileSystem files = new SimulatedFileSystem(
        "inspector", new SimulatedDisk(this::wallNs), shared, SimulatedFileSystem.Interference.NONE);
    PrefixPaths paths = new PrefixPaths(files.getPath(PREFIX));
    Path directory = files.getPath("/fetched");
    FetchCopy copy = new FetchCopy(paths, id, directory.resolve("copies"));
    List<FetchCopy.Fetched> parts = new ArrayList<>();
    new RankMapReader(paths, id).forEach(entry -> copy.parts(entry).forEach(part -> parts.add(part.copy())));
    for (RankFiles rank : copy.join(parts)) {
      for (FileMeta file : rank.files()) {
        Path place = directory.resolve(file.path());
        if (!Files.exists(place.getParent())) {
          Files.createDirectories(place.getParent());
        }
        Files.write(place, Files.readAllBytes(directory.resolve("copies").resolve(file.name())));
      }
    }
    return directory;
  }

  /** Of the file there, or of one that is kept while another dataset takes its place. */
  private Optional<Attempt> owner(Path path, int rank, int file, String name) throws IOException {
    Optional<Attempt> whose =
        Files.exists(path) ? ledger.whose(Files.readAllBytes(path), rank, file) : Optional.empty();
    if (whose.isPresent() && name.equals("step-" + whose.get().step)) {
      return whose;
    }
    try (var kept = Files.newDirectoryStream(path.getParent(), "." + path.getFileName() + ".scr-kept-*")) {
      for (Path one : kept) {
        Optional<Attempt> of = ledger.whose(Files.readAllBytes(one), rank, file);
        if (of.isPresent() && name.equals("step-" + of.get().step)) {
          return of;
        }
      }
    }
    return Optional.empty();
  }

  private void checkLeaks() {
    for (String name : cluster.alive()) {
      if (!machine(name).files.openFiles().isEmpty()) {
        violated(Invariant.NOTHING_LEAKS, name + " has open files: " + machine(name).files.openFiles());
      }
    }
  }

  private void plantFilesOfTheUser() throws IOException {
    for (String name : USERS_FILES) {
      Path file = inspector.getPath(PREFIX).resolve(name);
      Files.createDirectories(file.getParent());
      Files.write(file, OF_THE_USER);
    }
    shared.syncAll();
  }

  private void checkFilesOfTheUser() {
    for (String name : USERS_FILES) {
      try {
        if (!Arrays.equals(Files.readAllBytes(inspector.getPath(PREFIX).resolve(name)), OF_THE_USER)) {
          violated(Invariant.OTHERS_UNTOUCHED, name + " has other bytes");
        }
      } catch (IOException e) {
        violated(Invariant.OTHERS_UNTOUCHED, name + ": " + e);
      }
    }
  }
}
