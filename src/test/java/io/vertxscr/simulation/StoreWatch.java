package io.vertxscr.simulation;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Redundancy;
import io.vertxscr.simulation.Ledger.Attempt;
import io.vertxscr.simulation.Outcome.Invariant;
import io.vertxscr.simulation.SimulatedFileSystem.Operation;
import io.vertxscr.storage.DatasetStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Watches stores of a SIZE: phases and healing put no more there.
 *
 * <p>What has no room fails for all ranks alike.
 *
 * <p>A daemon expects of a dataset what an older one of its store and scheme takes, so a phase may err by the
 * difference. A restart does not count a SIZE: what it has fetched or moved may be more. The redundancy of that is made
 * while phases go on, which do not count what is not there yet.
 */
final class StoreWatch {
  /** Copies of redundancy that a protection takes back at its end. */
  private static final String LENT = "lent";
  /** Where a hash file says how long it is: HashFile. */
  private static final int LENGTH_OF_HEADER = 8;
  private static final Set<Fault> OF_OTHERS = Set.of(Fault.NODE_LOST, Fault.RANK_LOST);

  private final World world;
  private final Scenario scenario;
  /** By node, when a rank of it asked for the last phase. */
  private final Map<String, List<Held>> before = new HashMap<>();
  /** What nodes had when the last run ended. */
  private final Map<Place, Long> atEnd = new HashMap<>();
  /** How many healings had begun by then. */
  private int healings;
  /** Nodes whose disks have taken back, since a run began, that something was evicted. */
  private final Set<String> tookBack = new HashSet<>();
  /** What each rank of the run was told of a step. */
  private final Map<Integer, Map<Integer, Fault>> told = new TreeMap<>();

  private record Place(String node, String base) {}

  /**
   * What a node has of a dataset.
   *
   * @param bytes on its disk
   * @param known what its filemap names of that: redundancy when all of it is there
   */
  private record Held(int id, String base, Redundancy how, boolean stays, long bytes, long known) {}

  StoreWatch(World world) {
    this.world = world;
    this.scenario = world.scenario;
  }

  /** A rank is about to ask for a phase. */
  void asks(Rank rank) {
    if (scenario.hasSize() && world.cluster.isAlive(rank.node)) {
      before.put(rank.node, held(rank.node));
    }
  }

  /**
   * A daemon is about to do this to one of its own files. Where the phase has waited before it was measured, an older
   * dataset may have got other redundancy since, and tells what it had when it goes.
   */
  void sees(String node, Operation operation, Path path) {
    if (scenario.hasSize() && operation == Operation.DELETE && path.toString().endsWith(".scrfilemap")) {
      before.computeIfPresent(node, (_, asked) -> Stream.concat(asked.stream(), held(node).stream()).toList());
    }
  }

  private List<Held> held(String node) {
    DatasetStore store = world.cluster.store(node);
    return store.list().stream().map(record -> {
      int id = record.descriptor().id();
      SimulatedDisk.Inode directory = find(node, store.directory(id));
      return new Held(id, record.cache().base(), record.redundancy().how().redundancy(),
          !record.descriptor().flags().output(), directory == null ? 0 : bytes(directory), store.bytes(id));
    }).toList();
  }

  /** What is there on the disk of a node; null: nothing. */
  private SimulatedDisk.Inode find(String node, Path path) {
    SimulatedFileSystem files = world.machine(node).files;
    return files.find(files.getPath(path.toString()));
  }

  private static long bytes(SimulatedDisk.Inode inode) {
    return inode.isDirectory() ? inode.entries.entrySet().stream().filter(entry -> !entry.getKey().equals(LENT))
        .mapToLong(entry -> bytes(entry.getValue())).sum() : inode.size();
  }

  /** Of its redundancy files, which say what is redundant, and which no daemon can measure beforehand. */
  private long headers(String node, Held dataset) {
    DatasetStore store = world.cluster.store(node);
    return store.find(dataset.id()).stream().flatMap(record -> record.ranks().stream())
        .flatMap(rank -> rank.redundancy().stream()).distinct()
        .map(name -> find(node, store.directory(dataset.id()).resolve(name)))
        .filter(Objects::nonNull).mapToLong(file -> ByteBuffer.wrap(file.content()).getLong(LENGTH_OF_HEADER)).sum();
  }

  /** The first rank has heard that it is complete. */
  void completes(Attempt attempt) {
    if (scenario.hasSize() && !attempt.isInPlace) {
      attempt.nodes.stream().filter(world.cluster::isAlive).forEach(node -> check(attempt, node));
    }
  }

  private void check(Attempt attempt, String node) {
    List<Held> now = held(node);
    List<Held> then = before.getOrDefault(node, List.of());
    now.stream().filter(held -> held.id() == attempt.id).findFirst().ifPresent(own -> {
      List<Held> others =
          now.stream().filter(held -> held.base().equals(own.base()) && held.id() != own.id()).toList();
      boolean isExpected = then.stream().anyMatch(held -> isLike(held, own) && held.stays());   // output may have gone
      long grown = others.stream().mapToLong(other -> Math.max(0, other.bytes() - then.stream()
          .filter(held -> held.id() == other.id()).mapToLong(Held::known).findFirst().orElse(0))).sum();
      long less = Stream.concat(then.stream(), others.stream()).filter(held -> isLike(held, own))
          .mapToLong(held -> Math.max(0, own.bytes() - held.known())).max().orElse(0);
      long most = scenario.sizeBytes().orElseThrow() + (isExpected ? grown + less : headers(node, own));
      long all = own.bytes() + (isExpected ? others.stream().mapToLong(Held::bytes).sum() : 0);
      if (all > most) {
        world.violated(Invariant.SIZE_IS_KEPT, node + " has " + all + " bytes in " + own.base() + " behind " + attempt
            + ", of " + most + ": " + own + " and " + others + ", before " + then);
      }
    });
  }

  /** Whether daemons expect of one dataset what the other takes. */
  private static boolean isLike(Held held, Held own) {
    return held.base().equals(own.base()) && held.how().equals(own.how());
  }

  /** A rank was told how a phase ended. @param fault null: well */
  void told(Rank rank, int step, Fault fault) {
    if (scenario.hasSize() && !rank.gone) {
      told.computeIfAbsent(step, _ -> new TreeMap<>()).put(rank.number, fault);
      if (fault == Fault.NO_SPACE && isSure()) {
        checkRefusal(rank, step);
      }
    }
  }

  /** Whether daemons know what a dataset will take, and nothing but the SIZE refuses it. */
  private boolean isSure() {
    return scenario.fileBytes().isPresent() && scenario.troubles().isEmpty() && !scenario.isEvictedBefore();
  }

  /** Some node has no room beside what it has. Where none has anything yet, the first dataset may be too large. */
  private void checkRefusal(Rank rank, int step) {
    long size = scenario.sizeBytes().orElseThrow();
    Map<Place, Long> all = now();
    boolean lacks = all.isEmpty() || all.entrySet().stream().anyMatch(place -> place.getValue()
        + held(place.getKey().node()).stream().mapToLong(Held::bytes).max().orElse(0) > size);
    if (!lacks) {
      world.violated(Invariant.SIZE_IS_KEPT, "rank " + rank.number + " is told at step " + step
          + " that there is no room, and nodes have " + all + " of " + size);
    }
  }

  /** What was evicted and not synced may be there again, until a phase wants the room. */
  void losesPower(String node) {
    tookBack.add(node);
  }

  /**
   * A run begins. Until then nodes may have healed, or been drained; else what has come belongs to the restart before,
   * which goes on to move older checkpoints to where the ranks were.
   */
  void runBegins() {
    if (!scenario.hasSize()) {
      return;
    }
    told.clear();
    before.clear();
    boolean healed = healingsBegun() > healings;
    now().forEach((place, bytes) -> {
      long most = Math.max(scenario.sizeBytes().orElseThrow() + held(place.node()).stream()
          .mapToLong(held -> headers(place.node(), held)).sum(), atEnd.getOrDefault(place, 0L));
      if (healed && scenario.fileBytes().isPresent() && !tookBack.contains(place.node()) && bytes > most) {
        world.violated(Invariant.SIZE_IS_KEPT,
            place + " has " + bytes + " bytes, of " + most + ": " + held(place.node()));
      }
    });
    tookBack.clear();
  }

  private int healingsBegun() {
    return world.cluster.bus().events("heal-started").size();
  }

  void runEnds() {
    if (scenario.hasSize()) {
      atEnd.putAll(now());
      healings = healingsBegun();
      told.forEach(this::checkAlike);
    }
  }

  private void checkAlike(int step, Map<Integer, Fault> of) {
    boolean lacksRoom = of.containsValue(Fault.NO_SPACE);
    if (lacksRoom && of.values().stream().anyMatch(fault -> fault != Fault.NO_SPACE && !OF_OTHERS.contains(fault))) {
      world.violated(Invariant.SIZE_IS_KEPT, "of step " + step + " ranks were told " + of);
    }
  }

  private Map<Place, Long> now() {
    Map<Place, Long> now = new HashMap<>();
    for (String node : world.cluster.alive()) {
      held(node).forEach(held -> now.merge(new Place(node, held.base()), held.bytes(), Long::sum));
    }
    return now;
  }
}
