package io.vertxscr.simulation;

import io.vertxscr.config.Settings;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.Ledger.Attempt;
import io.vertxscr.simulation.Outcome.Invariant;
import io.vertxscr.simulation.Outcome.Violation;
import io.vertxscr.storage.DatasetStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The nodes of a scenario, with their disks, the programs on them, and what has befallen them so far. */
final class World {
  static final Duration BOUND = Duration.ofSeconds(60);
  /** A phase waits a minute at most for the flush of what would make room for it. */
  private static final Duration BOUND_OF_SMALL = Duration.ofSeconds(90);
  /** The same where calls may wait for flushes of limited bandwidth, or until a rival has flushed. */
  private static final Duration BOUND_OF_LIMITED = Duration.ofMinutes(5);
  static final long NS_PER_MS = 1_000_000;
  static final String FIRST_JOB = "1";

  final Scenario scenario;
  final Random random;
  final VirtualTime time;
  /** Of what happens to the nodes. */
  final Loop script;
  /** The prefix file system. */
  final SimulatedDisk shared;
  final Optional<SimulatedStore> store;
  final PrefixView view;
  final VirtualCluster cluster;
  final Map<String, Machine> machines = new LinkedHashMap<>();
  final Program main;
  final Program guest;
  final Optional<RivalJob> rival;
  final Steps steps = new Steps();
  /**
   * Groups of the nodes whose copies have gone since an attempt began: one may be lost before the ranks hear that all
   * is there. No set has two members of one.
   */
  final Map<Attempt, Set<String>> lostSince = new HashMap<>();
  final Set<String> away = new TreeSet<>();
  final Set<String> lost = new TreeSet<>();
  /** Nodes whose daemon has been started since the last run began. */
  final Set<String> hasBegun = new TreeSet<>();
  /** How many daemons of each node have been started. */
  private final Map<String, Integer> starts = new HashMap<>();
  final List<Violation> violations = new ArrayList<>();
  final List<String> calls = new ArrayList<>();
  /** Of the run that is on, or was. */
  List<Rank> ranks = List.of();
  String job = FIRST_JOB;
  long faultsEndNs;
  long badLinksUntilNs;
  long runBeganNs;
  /** Of the nodes' own disks. */
  long fullUntilNs;
  /** Of each node's caches; empty: it is enough. */
  OptionalLong roomBytes = OptionalLong.empty();
  /** Of some node, or it hangs there. */
  long prefixAwayUntilNs;
  /** When an operator has last changed the index; each node reads that as it is, from then on. */
  long indexEditedNs = Long.MIN_VALUE;
  long acknowledgedNs;
  private final SimulatedFileSystem inspector;
  private final CacheWatch caches;
  final StoreWatch stores;

  World(Scenario scenario, boolean readable) {
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
    if (scenario.hasSize()) {
      cluster.spread();
    }
    this.main = program("/pfs/prefix", scenario.ranksPerNode());
    this.guest = program("/pfs/guest", 1);
    this.caches = new CacheWatch(() -> List.of(main, guest), this::machine,
        this::mayMakeRoom, this::violated);
    this.stores = new StoreWatch(this);
    this.rival = scenario.rival().map(plan -> new RivalJob(scenario, plan, random, time, cluster, shared, store,
        settings(RivalJob.JOB), main, this::said, this::violated));
  }

  Settings settings(String jobId) {
    Map<String, String> environment = new HashMap<>(Map.of("SCR_CNTL_BASE", "/local/cntl", "SCR_CACHE_BASE",
        "/local/cache", "SCR_JOB_ID", jobId, "SCR_JOB_NAME", "test", "SCR_USER_NAME", "user", "SCR_CLUSTER_NAME",
        "cluster"));
    environment.putAll(scenario.environment());
    return Settings.load(environment, Optional.of(configuration(!jobId.equals(RivalJob.JOB))));
  }

  private Program program(String prefix, int ranksPerNode) {
    Ledger ledger = new Ledger(scenario.nodes() * ranksPerNode, scenario.fileBytes());
    return new Program(prefix, ranksPerNode, ledger, new PrefixInspection(
        scenario, ledger, prefix, Clock.fixed(cluster.now(), ZoneOffset.UTC), view, this::violated));
  }

  private SimulatedFileSystem inspector() {
    return new SimulatedFileSystem(
        "inspector", new SimulatedDisk(this::wallNs), shared, SimulatedFileSystem.Interference.NONE);
  }

  private Path configuration(boolean withSizes) {
    try {
      Path directory = Files.createDirectories(inspector.getPath("/local"));
      return Files.writeString(directory.resolve("scr.conf"), scenario.configuration(withSizes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The end of a simulation that has failed. */
  static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stopped() {
      super(null, null, false, false);
    }
  }

  long wallNs() {
    return VirtualCluster.wallNs(time);
  }

  Machine machine(String name) {
    return machines.computeIfAbsent(
        name, _ -> newMachine(name));
  }

  /** Whether a dataset may go for others although nothing replaces it. */
  private boolean mayMakeRoom(Attempt attempt) {
    return (time.nowNs() <= fullUntilNs || isTight()) && !isWithinTolerance(attempt)
        || isTight() && scenario.mayLoseLast();
  }

  /** Whether datasets may find no room in the caches, from now on. */
  boolean isTight() {
    return roomBytes.isPresent() || scenario.hasSize();
  }

  Machine newMachine(String name) {
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
      public void looks(String node, boolean onShared) {
        steps.look(node, onShared);
      }

      @Override
      public void sees(String node, SimulatedFileSystem.Operation operation, Path path) {
        caches.sees(node, operation, path);
        stores.sees(node, operation, path);
      }

      @Override
      public void failsToSync(String node, Path path) {
        unreadLost(node, path);
      }
    });
    machine.isOf(cluster);
    store.ifPresent(machine::mounts);
    scenario.overtaking(name).ifPresent(machine::overtakes);
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

  void violated(Invariant invariant, String what) {
    violations.add(new Violation(invariant, what));
    cluster.trace().note("VIOLATED " + invariant);
  }

  void stop(Invariant invariant, String what) {
    violated(invariant, what);
    throw new Stopped();
  }

  void said(String what) {
    calls.add(time.nowNs() / NS_PER_MS + " ms: " + what);
    cluster.trace().note(what);
  }

  // What is done to nodes

  /** A daemon that cannot use its disk says so and ends; whoever has started it tries again. */
  void start(String name) {
    int failsAt = scenario.startFailsAt(name, starts.merge(name, 1, Integer::sum));
    for (long endNs = time.nowNs() + BOUND.toNanos(); !starts(name, failsAt, endNs); failsAt = 0) {
      cluster.pass(Duration.ofSeconds(1));
    }
    machine(name).daemon(cluster.loop(name));
    scenario.prefixFailsAtStart(name, starts.get(name)).ifPresent(start -> {
      said("of " + name + ", " + start);
      machine(name).failAt(start.operation(), true, start.failure());
    });
    hasBegun.add(name);
    lost.remove(name);
  }

  private boolean starts(String name, int failsAt, long endNs) {
    try {
      machine(name).starts(failsAt);
      cluster.start(name);
      return true;
    } catch (ScrException e) {
      if (e.fault() != Fault.NO_SPACE && e.fault() != Fault.IO || time.nowNs() >= endNs) {
        throw e;
      }
      said(name + " does not start: " + e.getMessage());
      return false;
    } finally {
      machine(name).hasStarted();
    }
  }

  void kill(String name, int silenceMs) {
    cluster.kill(name, silenceMs);
    machine(name).daemon(null);
    machine(name).disk.release(name);
    shared.release(name);
    ranks.stream().filter(rank -> rank.node.equals(name) && !rank.isOver()).forEach(rank -> {
      rank.gone = true;
      rank.failure = "its node died";
    });
  }

  void lose(String name, int silenceMs) {
    copyLost(name);
    if (cluster.isAlive(name)) {
      kill(name, silenceMs);
    }
    machines.put(name, newMachine(name));
    lost.add(name);
  }

  /** Files that nobody has read count as lost from then on: no checksum tells what a sync has lost. */
  private void unreadLost(String node, Path path) {
    DatasetStore daemon = cluster.store(node);
    Set<Integer> unread = daemon.list().stream().filter(DatasetRecord::hasUnread)
        .map(record -> record.descriptor().id())
        .filter(id -> path.startsWith(daemon.directory(id)) || daemon.directory(id).startsWith(path))
        .collect(Collectors.toSet());
    lostSince.forEach((attempt, groups) -> {
      if (unread.contains(attempt.id)) {
        groups.add(scenario.group(node));
      }
    });
  }

  void copyLost(String node) {
    lostSince.values().forEach(groups -> groups.add(scenario.group(node)));
  }

  // What is known of them

  Duration bound() {
    return scenario.variant().limited() || flushesInTurns() ? BOUND_OF_LIMITED
        : scenario.isTight() ? BOUND_OF_SMALL : BOUND;
  }

  /** Whether a run that begins flushes what is cached, while a rival may do the same. */
  boolean flushesInTurns() {
    return rival.isPresent() && scenario.parameters().get("SCR_FLUSH_ON_RESTART").equals("1");
  }

  boolean mayAllHear() {
    return machines.keySet().stream().allMatch(cluster::isAlive)
        && scenario.troubles().stream().noneMatch(trouble -> trouble.kind().hidesNodes());
  }

  /** What a node does not hear, as it is away, it reads in the prefix directory when it is back. */
  boolean mayAllRead() {
    return !scenario.hurtsPrefix() && scenario.troubles().stream().noneMatch(trouble -> trouble.kind().hidesNodes());
  }

  boolean isWithinTolerance(Attempt attempt) {
    return !attempt.isInPlace && lostSince.getOrDefault(attempt, Set.of()).size() <= attempt.tolerance;
  }

  /**
   * How many groups redundancy sets of the run can tolerate the loss of. There are as many sets as the largest group
   * has ranks at least, so the smallest has no more members than this leaves.
   */
  int setsTolerate() {
    Map<String, Long> groups = ranks.stream()
        .collect(Collectors.groupingBy(rank -> scenario.group(rank.node), Collectors.counting()));
    return (int) (ranks.size() / groups.values().stream().mapToLong(count -> count).max().orElse(1)) - 1;
  }

  void checkPrefix() {
    main.inspection().check();
    if (scenario.variant().guest()) {
      guest.inspection().check();
    }
  }

  static String nodeOf(Path file) {
    return SimulatedFileSystem.of(file).node();
  }
}
