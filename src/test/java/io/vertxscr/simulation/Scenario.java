package io.vertxscr.simulation;

import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.protocol.app.OperatorRequest.OperatorVerb;
import io.vertxscr.simulation.SimulatedDisk.Kept;
import io.vertxscr.simulation.Trouble.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What happens to a cluster, as far as that is not left to the order of events. All of it follows from the seed.
 *
 * @param nodes with ranks
 * @param spares nodes without, at the beginning
 * @param ranksPerNode of each of them
 * @param files of each rank in a checkpoint
 * @param rolling whether all checkpoints have the same paths, as far as they may
 * @param steps checkpoints of each run
 * @param variant what else the runs do
 * @param parameters of the nodes
 * @param tolerance how many nodes may be lost; where they are in failure groups, nodes of how many of these
 */
record Scenario(long seed, Profile profile, int nodes, int spares, int ranksPerNode, int files, boolean rolling,
    List<Integer> steps, Variant variant, Map<String, String> parameters, int tolerance, List<Trouble> troubles) {
  /** No small files, or those of some ranks and not of others; by the seed. Else all are small. */
  private static final List<String> SMALL_BYTES = List.of("0", "500");
  private static final int SMALL_KINDS = 4;
  /** Several rounds within a run, or one now and then; by the seed. */
  private static final List<String> SCRUB_SECONDS = List.of("15", "300", "60");
  /** Never, or between two runs; by the seed. */
  private static final List<String> HEAL_SECONDS = List.of("0", "1", "4");
  private static final int READING_KINDS = 3;
  private static final int MOST_RUN_MS = 3_000;
  /** Between two runs, where lost parts are healed meanwhile. */
  private static final int MOST_REST_MS = 8_000;
  /** Steps of output behind a checkpoint, beside the checkpoint's own. */
  static final int OUTPUT_STEPS = 1_000;
  /** Name of the directory of the second store, below that of the node's own disk. */
  static final String SECOND = "ssd";
  private static final String SECOND_STORE = "/local/" + SECOND;
  /** All stores of a node. */
  static final Set<String> CACHES = Set.of("/local/cache", SECOND_STORE);
  private static final long BYTES_PER_SECOND_OF_A_RANK = 300;
  /** Disks are small in one of so many. */
  private static final int ROOM_KINDS = 6;
  private static final int SCAVENGE_KINDS = 4;
  /** An operator has a dataset flushed or dropped in one of so many runs. */
  private static final int ORDER_KINDS = 4;
  /** One of so many runs is the last one of an allocation. */
  private static final int ALLOCATION_KINDS = 6;
  /** An operator scavenges one dataset, instead of all or before that, in one of so many cases. */
  private static final int CHOSEN_KINDS = 3;
  /** Who would be asked for one that no cache has. */
  private static final int MOST_BACK = 4;
  /** An operator changes the index in one of so many, as far as he may. */
  private static final int EDIT_KINDS = 4;
  private static final int MOST_EDITS = 3;
  private static final int LONGEST_COMMAND_BITS = 11;
  private static final int MOST_RENAMES = 24;
  /** Another job has the same prefix directory in one of so many, as far as it may. */
  private static final int RIVAL_KINDS = 6;
  private static final int MOST_PAUSE_MS = 60_000;
  /** In one of so many, most files have several pieces. */
  private static final int EXTENT_KINDS = 3;
  private static final long SMALL_EXTENT_BYTES = 250;
  /** Nodes are in failure groups in one of so many. */
  private static final int GROUP_KINDS = 5;
  /** The prefix directory is in an object store in one of so many, as far as it may. */
  private static final int OBJECT_KINDS = 4;
  /** Larger than a lock file, and what says which extents of a draft are durable. */
  private static final int SMALL_PART_BYTES = 1000;
  private static final int LARGE_PART_BYTES = 1 << 16;
  /** Of those with small disks, in one of so many what has no room is written past the caches. */
  private static final int FULL_KINDS = 3;
  /** Each of the parameters that are seldom set is set in one of so many. */
  private static final int RARE_KINDS = 8;
  private static final SortedMap<String, List<String>> RARE = new TreeMap<>(Map.of(
      "SCR_FETCH_WIDTH", List.of("1", "2"), "SCR_CRC_ON_DELETE", List.of("1"), "SCR_FLUSH_WIDTH", List.of("1"),
      "SCR_CONTAINER_ALIGN", List.of("512")));
  /** Redundancy sets are as small as the scheme allows in one of so many. */
  private static final int SET_KINDS = 3;
  /** Of those that survive losses, in one of so many there may be fewer groups than that takes, and losses go on. */
  private static final int LOSSES_KINDS = 6;
  private static final int MOST_GROUP = 3;
  /** Stores have a SIZE in one of so many. */
  private static final int SIZE_KINDS = 6;
  /** Of so many daemons that start again, where disks fail, one has an error; most do less, and look at less. */
  private static final int START_KINDS = 4;
  private static final int MOST_START_OPERATIONS = 80;
  /** Where the prefix file system fails, it does so for daemons that start in one of so many. */
  private static final int PREFIX_START_KINDS = 4;
  /** Of so many single errors of a file system, one is of a look, and each other one of these. */
  private static final int LOOK_KINDS = 6;
  private static final List<OperationFailure> OF_OPERATIONS = List.of(
      OperationFailure.ANY, OperationFailure.OF_SYNC, OperationFailure.BEHIND, OperationFailure.REPEATED);
  /** Threads of daemons are overtaken by others in one of so many; how often, and for how long at most. */
  private static final int OVERTAKING_KINDS = 4;
  private static final List<Integer> OVERTAKEN_ONE_OF = List.of(20, 60, 200);
  private static final List<Integer> OVERTAKEN_MOST_MS = List.of(20, 60, 400);
  /** Of a file: not less than what describes it in one of redundancy. */
  private static final int LEAST_EVEN_BYTES = 300;
  private static final int MOST_EVEN_BYTES = 1_500;
  /** Of a file of redundancy, about. */
  private static final long HEADER_BYTES = 500;
  private static final double LEAST_ROOM = 1.3;
  private static final double MOST_ROOM = 3.2;

  /**
   * What the runs do beside their checkpoints. Drawn by itself, so that an addition changes no other draw.
   *
   * @param output datasets of the program that are to stay in the prefix directory
   * @param form of datasets in the prefix directory
   * @param clashes whether two ranks write one path in every third checkpoint
   * @param deeds whether ranks remove datasets, or go back to older ones
   * @param halts whether runs are halted
   * @param guest whether another program runs between the runs, with a prefix directory of its own
   * @param twoStores whether all checkpoints but every second one are in another store, without redundancy
   * @param limited whether background flushes have a limit of bandwidth, and how many files at once
   * @param scans whether the index is built and verified beside the daemons
   * @param secondJob whether the runs after the faults are those of another job, with another id, on the same nodes
   * @param drains whether a node is drained behind a run, and may go then
   */
  record Variant(Output output, Form form, boolean clashes, boolean deeds, boolean halts, boolean guest,
      boolean twoStores, boolean limited, boolean scans, boolean secondJob, boolean drains) {
    static final Variant PLAIN =
        new Variant(Output.NONE, Form.FILES, false, false, false, false, false, false, false, false, false);

    static Variant draw(Random random, boolean rolling) {
      Output output = switch (random.nextInt(6)) {
        case 0, 1 -> Output.BESIDE;
        case 2 -> rolling ? Output.NONE : Output.CHECKPOINTS;
        default -> Output.NONE;
      };
      Form form = switch (random.nextInt(9)) {
        case 0 -> Form.CONTAINERS;
        case 1 -> Form.COMPRESSED;
        case 2 -> Form.BYPASS;
        default -> Form.FILES;
      };
      boolean clashes = form != Form.BYPASS && random.nextInt(6) == 0;
      boolean deeds = random.nextInt(4) == 0;
      return new Variant(output, form, clashes, deeds, random.nextInt(5) == 0, random.nextInt(5) == 0,
          form != Form.BYPASS && random.nextInt(5) == 0, random.nextInt(4) == 0, !deeds && random.nextInt(4) == 0,
          random.nextInt(6) == 0, random.nextInt(4) == 0);
    }

    /** Variants of which each does one thing less. */
    List<Variant> simpler() {
      return Stream.of(
              new Variant(Output.NONE, form, clashes, deeds, halts, guest, twoStores, limited,
                  scans, secondJob, drains),
              new Variant(output, Form.FILES, clashes, deeds, halts, guest, twoStores, limited,
                  scans, secondJob, drains),
              new Variant(output, form, false, deeds, halts, guest, twoStores, limited, scans, secondJob, drains),
              new Variant(output, form, clashes, false, halts, guest, twoStores, limited, scans, secondJob, drains),
              new Variant(output, form, clashes, deeds, false, guest, twoStores, limited, scans, secondJob, drains),
              new Variant(output, form, clashes, deeds, halts, false, twoStores, limited, scans, secondJob, drains),
              new Variant(output, form, clashes, deeds, halts, guest, false, limited, scans, secondJob, drains),
              new Variant(output, form, clashes, deeds, halts, guest, twoStores, false, scans, secondJob, drains),
              new Variant(output, form, clashes, deeds, halts, guest, twoStores, limited, false, secondJob, drains),
              new Variant(output, form, clashes, deeds, halts, guest, twoStores, limited, scans, false, drains),
              new Variant(output, form, clashes, deeds, halts, guest, twoStores, limited, scans, secondJob, false))
          .filter(simpler -> !simpler.equals(this)).toList();
    }
  }

  /** How datasets are in the prefix directory. */
  enum Form {
    /** Each file for itself, from the cache. */
    FILES,
    /** Several files in one. */
    CONTAINERS,
    /** Each file compressed. */
    COMPRESSED,
    /** Each file for itself, written there by its rank. */
    BYPASS;

    /** Whether each file is there as its rank wrote it. */
    boolean isPlain() {
      return this == FILES || this == BYPASS;
    }
  }

  /** What the ranks do to a dataset of an earlier step. */
  record Deed(Action action, int step) {
    /** What is done. */
    enum Action {
      CURRENT, DROP, DELETE
    }
  }

  /**
   * How a run is halted.
   *
   * @param checkpoints so many more may be written, as is said before it begins; 0: it is halted later
   * @param afterMs when it is halted then
   * @param isTriedAgain whether the program is started again before runs are admitted
   */
  record Stop(int checkpoints, int afterMs, boolean isTriedAgain) {}

  /** Which datasets are output. */
  enum Output {
    NONE,
    /** One behind each checkpoint. */
    BESIDE,
    /** The checkpoints themselves. */
    CHECKPOINTS
  }

  static Scenario of(long seed, Profile profile) {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L + profile.ordinal());
    String scheme = switch (random.nextInt(8)) {
      case 0 -> "SINGLE";
      case 1, 2 -> "PARTNER";
      case 3, 4 -> "RS";
      default -> "XOR";
    };
    int least = scheme.equals("RS") ? 3 : 2;
    int nodes = least + (random.nextInt(3) == 0 ? random.nextInt(9 - least) : random.nextInt(3));
    int tolerance = switch (scheme) {
      case "SINGLE" -> 0;
      case "RS" -> 2;
      default -> 1;
    };
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("SCR_COPY_TYPE", scheme);
    if (scheme.equals("RS")) {
      parameters.put("SCR_SET_FAILURES", "2");
    }
    parameters.put("SCR_CACHE_SIZE", "" + (1 + random.nextInt(2)));
    parameters.put("SCR_FLUSH", "" + random.nextInt(4));
    parameters.put("SCR_FLUSH_ASYNC", "" + random.nextInt(2));
    parameters.put("SCR_LOG_ENABLE", "" + random.nextInt(2));
    parameters.put("SCR_FLUSH_ON_RESTART", random.nextInt(4) == 0 ? "1" : "0");
    parameters.put("SCR_FETCH_BYPASS", random.nextInt(6) == 0 ? "1" : "0");
    parameters.put("SCR_PREFIX_SIZE", random.nextInt(4) == 0 ? "2" : "0");
    parameters.put("SCR_SCAVENGE_SECONDS", "0");
    parameters.put("SCR_SCRUB_SECONDS", SCRUB_SECONDS.get((int) (seed % SCRUB_SECONDS.size())));
    parameters.put("SCR_SCRUB_PREFIX_SECONDS", seed % 4 == 1 ? "120" : "0");
    parameters.put("SCR_HEAL_SECONDS", HEAL_SECONDS.get((int) (seed / SCRUB_SECONDS.size() % HEAL_SECONDS.size())));
    List<Integer> steps = IntStream.range(0, 2 + random.nextInt(2)).mapToObj(_ -> 1 + random.nextInt(3)).toList();
    int spares = random.nextInt(3);
    int ranksPerNode = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 1;
    int files = 1 + random.nextInt(2);
    boolean rolling = random.nextInt(3) == 0;
    Variant variant = Variant.draw(new Random(~seed * 0x9E3779B97F4A7C15L), rolling);
    Scenario plain = new Scenario(seed, profile, nodes, spares, ranksPerNode, files, rolling, steps, variant,
        parameters, tolerance, List.of());
    Scenario sized = plain.with(Math.max(nodes, plain.leastNodes()), spares, ranksPerNode, files, steps);
    return sized.with(sized.draw(random));
  }

  Scenario with(List<Trouble> others) {
    return new Scenario(seed, profile, nodes, spares, ranksPerNode, files, rolling, steps, variant, parameters,
        tolerance, others);
  }

  /** The same of another size; faults of runs and nodes that it has not got any more are left out. */
  Scenario with(int newNodes, int newSpares, int newRanksPerNode, int newFiles, List<Integer> newSteps) {
    List<Trouble> left = troubles.stream()
        .filter(trouble -> trouble.run() < newSteps.size()
            && names(newNodes + newSpares).containsAll(List.of(trouble.nodes().getFirst())))
        .toList();
    return new Scenario(seed, profile, newNodes, newSpares, newRanksPerNode, newFiles, rolling, List.copyOf(newSteps),
        variant, parameters, tolerance, left);
  }

  Scenario with(Variant other) {
    return new Scenario(seed, profile, nodes, spares, ranksPerNode, files, rolling, steps, other, parameters,
        tolerance, troubles);
  }

  private Random drawOf(int what, int run, int step) {
    return new Random(((seed * 31 + what) * 1_009 + run) * 10_007 + step);
  }

  /** Until the next run begins: amid a healing, or behind it. */
  Duration rest(int run) {
    boolean heals = !parameters.get("SCR_HEAL_SECONDS").equals("0");
    return Duration.ofMillis(heals ? drawOf(3, run, 0).nextInt(MOST_REST_MS) : 0);
  }

  /** What all ranks do behind the checkpoint of a step. */
  Optional<Deed> deed(int run, int step) {
    Random random = drawOf(1, run, step);
    if (!variant.deeds() || random.nextInt(2) == 0) {
      return Optional.empty();
    }
    Deed.Action action = Deed.Action.values()[random.nextInt(3)];
    boolean output = variant.output() == Output.BESIDE && action != Deed.Action.CURRENT && random.nextInt(3) == 0;
    return Optional.of(new Deed(action, output ? OUTPUT_STEPS + step : Math.max(1, step - random.nextInt(3))));
  }

  /** How a run is halted, if it is. */
  Optional<Stop> stop(int run) {
    Random random = drawOf(2, run, 0);
    return !variant.halts() || run >= steps.size() || random.nextInt(3) == 0 ? Optional.empty()
        : Optional.of(new Stop(random.nextInt(3), random.nextInt(MOST_RUN_MS), random.nextBoolean()));
  }

  /** By which the ranks of a run are on other nodes than those of the run before; empty: they are where they were. */
  Optional<Random> placement(int run) {
    return run > 0 && seed % 5 == 2 ? Optional.of(drawOf(7, run, 0)) : Optional.empty();
  }

  /**
   * So many datasets like the first checkpoint have room in the caches of a node, from that checkpoint on; empty: as
   * many as there are. Others may be several times as large.
   */
  OptionalDouble room() {
    Random random = drawOf(8, 0, 0);
    boolean isOthers = isBypass() || variant.secondJob();   // or the first job has what there is
    return isOthers || random.nextInt(ROOM_KINDS) > 0 ? OptionalDouble.empty()
        : OptionalDouble.of(random.nextDouble(LEAST_ROOM, MOST_ROOM));
  }

  /** Whether stores have a SIZE. Not where disks are small, which says the same more strictly. */
  boolean hasSize() {
    return !isBypass() && room().isEmpty() && drawOf(24, 0, 0).nextInt(SIZE_KINDS) == 0;
  }

  /** The SIZE of each store, if it has one: so many datasets as large as the first checkpoint on its largest node. */
  OptionalLong sizeBytes() {
    double room = drawOf(24, 1, 0).nextDouble(LEAST_ROOM, MOST_ROOM);
    return hasSize() ? OptionalLong.of((long) (room * checkpointBytes())) : OptionalLong.empty();
  }

  /** Of all files, in half of those with a SIZE, so that daemons know what a dataset will take; empty: drawn. */
  OptionalInt fileBytes() {
    Random random = drawOf(24, 2, 0);
    return hasSize() && random.nextBoolean() ? OptionalInt.of(random.nextInt(LEAST_EVEN_BYTES, MOST_EVEN_BYTES))
        : OptionalInt.empty();
  }

  /** About what the first checkpoint takes on the node that has most of it, redundancy included. */
  private long checkpointBytes() {
    int members = hasSmallSets() ? tolerance + 1 : Math.max(tolerance + 1, nodes / groupSize());
    double redundancy = tolerance == 0 ? 0 : "PARTNER".equals(parameters.get("SCR_COPY_TYPE")) ? tolerance
        : tolerance / (double) (members - tolerance);
    long files = new Ledger(ranks(), fileBytes()).mostBytes(ranksPerNode, this.files);
    return (long) (files * (1 + redundancy)) + (tolerance == 0 ? 0L : ranksPerNode * HEADER_BYTES);
  }

  /** Whether datasets may find no room in the caches. */
  boolean isTight() {
    return room().isPresent() || hasSize();
  }

  /** Whether the ranks write to the prefix directory what has no room in the caches. There they may share a file. */
  private boolean bypassesFull() {
    return isTight() && variant.form() == Form.FILES && !variant.clashes()
        && drawOf(20, 0, 0).nextInt(FULL_KINDS) == 0;
  }

  /** Whether ranks may write to the prefix directory, in which nothing else may write then. */
  boolean mayBypass() {
    return isBypass() || bypassesFull();
  }

  /** Whether older datasets go before a new one is written. */
  boolean isEvictedBefore() {
    return isTight() && drawOf(9, 0, 0).nextInt(3) == 0;
  }

  /** Whether the last checkpoint in the caches may go before the next one is written. */
  boolean mayLoseLast() {
    return isEvictedBefore()
        || isTight() && (variant.twoStores() || parameters.get("SCR_CACHE_SIZE").equals("1"));
  }

  /** Larger files are copied to and from the prefix directory in pieces of this size. */
  long extentBytes() {
    return !hasSmallExtents() ? Extent.MOST_BYTES : objectPart().isPresent() ? SMALL_PART_BYTES : SMALL_EXTENT_BYTES;
  }

  private boolean hasSmallExtents() {
    return drawOf(12, 0, 0).nextInt(EXTENT_KINDS) == 0;
  }

  /** So many nodes fail together at most; 1: each by itself. */
  int groupSize() {
    if (losesOn()) {
      return 1 + drawOf(25, 1, 0).nextInt(MOST_GROUP);
    }
    Random random = drawOf(16, 0, 0);
    return random.nextInt(GROUP_KINDS) > 0 ? 1 : 2 + random.nextInt(3) / 2;
  }

  /** So that few nodes are in several sets, which change where ranks go to other nodes; else all are in one. */
  boolean hasSmallSets() {
    return tolerance > 0 && drawOf(18, 0, 0).nextInt(SET_KINDS) == 0;
  }

  /**
   * Whether nodes are lost one after the other behind runs, too, as far as what operators are told allows that. There
   * may be fewer failure groups than the scheme wants, and no spares for what is lost.
   */
  boolean losesOn() {
    return tolerance > 0 && drawOf(25, 0, 0).nextInt(LOSSES_KINDS) == 0;
  }

  /** By which nodes are lost behind a run, and how many of them; empty: none. */
  Optional<Random> lostBehind(int run) {
    Random random = drawOf(25, 2, run);
    boolean mayDiffer = troubles.stream().map(Trouble::kind).anyMatch(kind ->
        kind.hurtsDisk() || kind.losesPower() || kind == Kind.BYTE_ROTS);   // from what filemaps say
    return !losesOn() || mayDiffer || random.nextInt(3) == 0 ? Optional.empty() : Optional.of(random);
  }

  /** With fewer nodes, redundancy sets without two of a group would be too small for the tolerance, as they may be. */
  int leastNodes() {
    return losesOn() ? Math.max(groupSize() + 1, minNodes()) : groupSize() * (tolerance + 1);
  }

  private int minNodes() {
    return groupSize() == 1 ? tolerance + 1 : 2;
  }

  /** The failure group of a node. */
  String group(String node) {
    int size = groupSize();
    return size == 1 ? node : "psu" + (1 + (Integer.parseInt(node.substring(1)) - 1) / size);
  }

  /** Which node an operator drains behind a run, of those that had ranks; empty: none. */
  OptionalInt drained(int run) {
    Random random = drawOf(4, run, 0);
    return !variant.drains() || random.nextInt(3) == 0 ? OptionalInt.empty() : OptionalInt.of(random.nextInt(nodes));
  }

  /**
   * How long after the begin of the run that is asked for, to be done behind the run; empty: behind it, also where
   * others begin on the same nodes before.
   */
  OptionalInt drainAskedMs(int run) {
    Random random = drawOf(6, run, 0);
    boolean others = variant.guest() && run == 0 || stop(run).isPresent();
    return random.nextBoolean() || others ? OptionalInt.empty() : OptionalInt.of(random.nextInt(MOST_RUN_MS));
  }

  /**
   * When an operator scavenges those machines whose daemons have ended, beside the others: so long after the begin of a
   * run; empty: never. What the ranks have removed would be back, so not where they do.
   */
  OptionalInt scavengedMs(int run) {
    Random random = drawOf(10, run, 0);
    return variant.deeds() || random.nextInt(SCAVENGE_KINDS) > 0 ? OptionalInt.empty()
        : OptionalInt.of(random.nextInt(2 * MOST_RUN_MS));
  }

  /** Whether he does so behind a run, before daemons are started again. */
  boolean isScavengedBehind(int run) {
    return !variant.deeds() && drawOf(11, run, 0).nextInt(SCAVENGE_KINDS) == 0;
  }

  /**
   * Whether all daemons end behind a run, with the allocation of their nodes, and what they have cached is scavenged
   * before they start again. Not where ranks remove datasets, which would be back, nor where another job goes on.
   */
  boolean endsAllocation(int run) {
    return !variant.deeds() && rival().isEmpty() && drawOf(19, run, 0).nextInt(ALLOCATION_KINDS) == 0;
  }

  /**
   * An operator scavenges one dataset by its number.
   *
   * @param back which: the newest of the caches that he looks at, or so many before; beyond the oldest: one that nobody
   *     has
   * @param thenAll whether he scavenges all of them then
   */
  record Chosen(int back, boolean thenAll) {}

  /** Which dataset an operator chooses where he scavenges behind or amid a run; empty: he scavenges as usual. */
  Optional<Chosen> scavengedByNumber(int run) {
    Random random = drawOf(22, run, 0);
    return random.nextInt(CHOSEN_KINDS) > 0 ? Optional.empty()
        : Optional.of(new Chosen(random.nextInt(1 + random.nextInt(MOST_BACK)), random.nextBoolean()));
  }

  /**
   * An operator changes the index.
   *
   * @param back which dataset it is about, of those that it may be about: the newest, or so many before
   * @param afterMs how long after the begin of a run; empty: behind it
   */
  record Edit(Action what, int back, OptionalInt afterMs) {
    /** What he does. */
    enum Action {
      ADD, CURRENT, DROP, DROP_AFTER
    }
  }

  /**
   * What an operator changes in the index amid and behind a run. Not where ranks remove datasets, or write to the
   * prefix directory, nor where another job has names of its own, nor where a node goes on without its lock, and
   * writes the index as it was.
   */
  List<Edit> edits(int run) {
    boolean isAlone = mayBypass() || variant.deeds() || rival().isPresent()
        || troubles.stream().anyMatch(trouble -> trouble.kind() == Kind.LOCK_IS_LOST);
    if (isAlone || drawOf(23, 0, 0).nextInt(EDIT_KINDS) > 0) {
      return List.of();
    }
    Random random = drawOf(23, 1 + run, 0);
    Edit.Action[] actions = Edit.Action.values();
    return IntStream.range(0, random.nextInt(1 + MOST_EDITS))
        .mapToObj(_ -> new Edit(actions[random.nextInt(actions.length)], random.nextInt(1 + random.nextInt(3)),
            random.nextBoolean() ? OptionalInt.of(random.nextInt(2 * MOST_RUN_MS)) : OptionalInt.empty())).toList();
  }

  /**
   * What an operator has done with a dataset of the caches.
   *
   * @param back which: the newest, or so many before
   * @param afterMs how long after the begin of a run; empty: behind it
   */
  record Order(OperatorVerb what, int back, OptionalInt afterMs) {}

  /** What an operator wants amid or behind a run, if anything. He drops datasets where the ranks do so, too. */
  Optional<Order> order(int run) {
    Random random = drawOf(14, run, 0);
    return isBypass() || random.nextInt(ORDER_KINDS) > 0 ? Optional.empty()
        : Optional.of(new Order(
            variant.deeds() && random.nextBoolean() ? OperatorVerb.DROP : OperatorVerb.FLUSH, random.nextInt(3),
            random.nextBoolean() ? OptionalInt.of(random.nextInt(2 * MOST_RUN_MS)) : OptionalInt.empty()));
  }

  /**
   * Another job with the same prefix directory, on as many nodes.
   *
   * @param run amid which it begins
   * @param afterMs how long after the begin of that
   * @param runs of it, one after the other
   * @param checkpoints of each of them
   * @param pausedAfterMs how long after its begin it stands still for a while; empty: it does not
   * @param endsMs how long after its begin its daemons end; empty: they do not before the runs behind the faults have
   */
  record Rival(int run, int afterMs, int runs, int checkpoints, OptionalInt pausedAfterMs, int pausedMs,
      OptionalInt endsMs) {}

  /**
   * The other job, if there is one. Not where somebody says what is to become of datasets, or of runs, by names that
   * may be those of either job; nor where ranks write to, or read from, the prefix directory, in which the other one
   * may write; nor where a node goes on without its lock, and gives names after the other job has done so.
   */
  Optional<Rival> rival() {
    Random random = drawOf(15, 0, 0);
    boolean isAlone = mayBypass() || variant.deeds() || variant.halts()
        || parameters.get("SCR_FETCH_BYPASS").equals("1")
        || troubles.stream().anyMatch(trouble -> trouble.kind() == Kind.LOCK_IS_LOST);
    return isAlone || random.nextInt(RIVAL_KINDS) > 0 ? Optional.empty()
        : Optional.of(new Rival(random.nextInt(steps.size()), random.nextInt(MOST_RUN_MS), 1 + random.nextInt(3),
            1 + random.nextInt(3),
            random.nextBoolean() ? OptionalInt.of(random.nextInt(MOST_RUN_MS)) : OptionalInt.empty(),
            random.nextInt(MOST_PAUSE_MS),
            random.nextBoolean() ? OptionalInt.of(random.nextInt(1 + random.nextInt(MOST_PAUSE_MS)))
                : OptionalInt.empty()));
  }

  /**
   * The bytes of a part of an upload, where the prefix directory is in an object store; empty: it is in files. Not more
   * than a file is copied in at once, as in truth.
   */
  OptionalInt objectPart() {
    Random random = drawOf(17, 0, 0);
    boolean needsFiles =
        mayBypass() || variant.form() == Form.CONTAINERS || "1".equals(parameters.get("SCR_FETCH_BYPASS"));
    return needsFiles || random.nextInt(OBJECT_KINDS) > 0 ? OptionalInt.empty()
        : OptionalInt.of(random.nextBoolean() || hasSmallExtents() ? SMALL_PART_BYTES : LARGE_PART_BYTES);
  }

  /** Which operation or look of a daemon fails as it starts; 0: none. @param start of this node, from 1 */
  int startFailsAt(String node, int start) {
    Random random = drawOf(29, start, Integer.parseInt(node.substring(1)));
    boolean fails = start > 1 && profile.kinds().contains(Kind.DISK_FAILS) && random.nextInt(START_KINDS) == 0;
    return fails ? 1 + random.nextInt(MOST_START_OPERATIONS) : 0;
  }

  /** How threads of a daemon, and commands, are overtaken by others; empty: each job of them is done in one step. */
  Optional<Overtaking> overtaking(String process) {
    Random random = drawOf(30, 0, 0);
    return random.nextInt(OVERTAKING_KINDS) > 0 ? Optional.empty() : Optional.of(new Overtaking(
        drawOf(30, 1, process.hashCode()),
        OVERTAKEN_ONE_OF.get(random.nextInt(OVERTAKEN_ONE_OF.size())),
        OVERTAKEN_MOST_MS.get(random.nextInt(OVERTAKEN_MOST_MS.size()))));
  }

  /** Which operation on the prefix directory, or look there, of a daemon that has just started fails. */
  record StartFailure(int operation, OperationFailure failure) {}

  /** What of the prefix directory fails for a daemon, also of another job; empty: nothing. @param start from 1 */
  Optional<StartFailure> prefixFailsAtStart(String node, int start) {
    boolean isRival = RivalJob.names(nodes).contains(node);
    Random random = drawOf(32, 2 * start + (isRival ? 1 : 0), Integer.parseInt(node.substring(1)));
    if (!prefixFailsAtStarts() || random.nextBoolean()) {
      return Optional.empty();
    }
    boolean looks = random.nextInt(LOOK_KINDS) == 0;
    return Optional.of(new StartFailure(1 + random.nextInt(1 + random.nextInt(MOST_START_OPERATIONS)),
        looks ? OperationFailure.OF_LOOK : OF_OPERATIONS.get(random.nextInt(OF_OPERATIONS.size()))));
  }

  private boolean prefixFailsAtStarts() {
    return profile.kinds().contains(Kind.PREFIX_FAILS) && drawOf(32, 0, 0).nextInt(PREFIX_START_KINDS) == 0;
  }

  /** Whether somebody may not see the prefix directory as it is. */
  boolean hurtsPrefix() {
    return prefixFailsAtStarts() || troubles.stream().anyMatch(trouble -> trouble.kind().hurtsPrefix());
  }

  /** What befalls a command of an operator. */
  enum Mishap { KILLED, KILLED_AT_RENAME, OPERATION_FAILS, LOOK_FAILS }

  /** A command of an operator is killed before this operation on files, or it fails. @param operation from 1 */
  record CommandMishap(int operation, Mishap mishap) {}

  /** What befalls a command before it is given again; empty: nothing. */
  Optional<CommandMishap> commandMishap(int run) {
    Random random = drawOf(13, run, 0);
    if (random.nextBoolean()) {
      Random ofError = drawOf(28, run, 0);
      return ofError.nextBoolean() ? Optional.empty() : Optional.of(new CommandMishap(
          operation(ofError), ofError.nextBoolean() ? Mishap.OPERATION_FAILS : Mishap.LOOK_FAILS));
    }
    boolean ofRenames = random.nextBoolean();
    return Optional.of(ofRenames ? new CommandMishap(1 + random.nextInt(MOST_RENAMES), Mishap.KILLED_AT_RENAME)
        : new CommandMishap(operation(random), Mishap.KILLED));
  }

  private static int operation(Random random) {
    return 1 + random.nextInt(2 << random.nextInt(LONGEST_COMMAND_BITS));
  }

  /** Whether it goes, with its storage, when it is drained. */
  boolean goesDrained(int run) {
    return drawOf(5, run, 0).nextInt(3) > 0;
  }

  /** The path of a file below the prefix directory. */
  String path(int step, int rank, int file) {
    return (rolling && step < OUTPUT_STEPS ? "rolling" : "step-" + step) + "/rank-" + rank + "-" + file;
  }

  private List<Trouble> draw(Random random) {
    List<Trouble> troubles = new ArrayList<>();
    List<Kind> losses = profile.losses().toList();
    List<String> victims = new ArrayList<>(names(nodes));
    java.util.Collections.shuffle(victims, random);
    Set<String> groups = new HashSet<>();
    victims.removeIf(node -> !groups.add(group(node)));
    int most = Math.min(victims.size() - 1, tolerance);
    int lost = profile == Profile.BEYOND ? most + 1 : losses.isEmpty() ? 0 : random.nextInt(most + 1);
    int together = random.nextInt(steps.size());
    for (int i = 0; i < lost && i < victims.size(); i++) {
      Kind drawn = losses.get(random.nextInt(losses.size()));
      Kind kind = i == 0 && rotsBeyond() ? Kind.BYTE_ROTS : drawn;
      int run = profile == Profile.BEYOND ? together : random.nextInt(steps.size());
      troubles.add(trouble(random, kind, run, struck(i, victims.get(i))));
    }
    List<Kind> harmless = profile.harmless();
    int others = harmless.isEmpty() ? 0 : random.nextInt(profile.mostHarmless() + 1);
    for (int i = 0; i < others; i++) {
      Kind kind = harmless.get(random.nextInt(harmless.size()));
      int first = random.nextInt(nodes);
      int count = kind == Kind.CUT || kind == Kind.CUT_ONE_WAY ? 1 + random.nextInt(Math.max(1, nodes - 1)) : 1;
      List<String> struck = kind.strikesAll() ? names(nodes + spares)
          : IntStream.range(0, count).mapToObj(k -> name((first + k) % nodes)).sorted().toList();
      troubles.add(trouble(random, kind, random.nextInt(steps.size()), struck));
    }
    troubles.sort(Comparator.comparingInt(Trouble::run).thenComparingInt(Trouble::afterMs));
    return troubles;
  }

  /** Whether a byte rots in the place of the first loss, beyond the tolerance: what is rebuilt from it is bad. */
  private boolean rotsBeyond() {
    return profile == Profile.BEYOND && tolerance > 0 && drawOf(18, 1, 0).nextBoolean();
  }

  /** Whom the n-th loss strikes: a node by itself, or all of its group; beyond the tolerance, always these. */
  private List<String> struck(int loss, String victim) {
    boolean alone = profile != Profile.BEYOND && drawOf(16, 1, loss).nextBoolean();
    return names(nodes + spares).stream()
        .filter(node -> alone ? node.equals(victim) : group(node).equals(group(victim))).toList();
  }

  private Trouble trouble(Random random, Kind kind, int run, List<String> nodes) {
    int afterMs = random.nextInt(1 + random.nextInt(profile.mostAfterMs()));
    int forMs = switch (kind) {
      case PAUSE, CUT, CUT_ONE_WAY -> random.nextBoolean() ? random.nextInt(4_000) : random.nextInt(60_000);
      case BAD_LINKS -> random.nextInt(20_000);
      case DISK_IS_FULL, PREFIX_IS_AWAY, PREFIX_IS_FULL, DISK_HANGS, PREFIX_HANGS, PREFIX_LAGS ->
          random.nextInt(30_000);
      case LOCK_IS_LOST -> random.nextInt(8_000);
      case CLOCK -> (random.nextBoolean() ? 1 : -1) * random.nextInt(4 * 3_600_000);
      default -> 0;
    };
    int number = switch (kind) {
      case DAEMON_DIES_WITHIN, NODE_IS_LOST_WITHIN, DISK_FAILS, PREFIX_FAILS -> 1 + random.nextInt(120);
      case LOCK_IS_LOST -> 1 + random.nextInt(40);
      default -> 0;
    };
    Kept[] kept = Kept.values();
    return new Trouble(kind, run, afterMs, nodes, forMs, number, kept[random.nextInt(3)], failure(kind, run, afterMs));
  }

  /** Syncs and changes of names are few among the operations on files, and fail more often for that. */
  private OperationFailure failure(Kind kind, int run, int afterMs) {
    if (kind != Kind.DISK_FAILS && kind != Kind.PREFIX_FAILS) {
      return OperationFailure.ANY;
    }
    return drawOf(27, run, afterMs).nextInt(LOOK_KINDS) == 0 ? OperationFailure.OF_LOOK
        : OF_OPERATIONS.get(drawOf(26, run, afterMs).nextInt(OF_OPERATIONS.size()));
  }

  static String name(int node) {
    return "n" + (node + 1);
  }

  static List<String> names(int count) {
    return IntStream.range(0, count).mapToObj(Scenario::name).toList();
  }

  /** Whether acknowledged datasets are in the prefix directory and nowhere else. */
  boolean isBypass() {
    return variant.form() == Form.BYPASS;
  }

  /** The parameters, and those of the variant. */
  Map<String, String> environment() {
    Map<String, String> all = new LinkedHashMap<>(parameters);
    switch (variant.form()) {
      case FILES, COMPRESSED -> { }
      case CONTAINERS -> {
        all.put("SCR_USE_CONTAINERS", "1");
        all.put("SCR_CONTAINER_SIZE", "4096");
      }
      case BYPASS -> all.put("SCR_CACHE_BYPASS", "1");
    }
    if (!descriptors().isEmpty()) {
      all.put("SCR_COPY_TYPE", "FILE");
    }
    if (objectPart().orElse(LARGE_PART_BYTES) < LARGE_PART_BYTES) {
      all.put("SCR_LOG_ENABLE", "0");                     // a log is not continued that is larger than a part
    }
    if (groupSize() > 1) {
      all.put("SCR_GROUP", "POWER");
    }
    if (hasSmallSets()) {
      all.put("SCR_SET_SIZE", "" + (tolerance + 1));
    }
    if (seed % SMALL_KINDS < SMALL_BYTES.size()) {
      all.put("SCR_SMALL_BYTES", SMALL_BYTES.get((int) (seed % SMALL_KINDS)));
    }
    if (isEvictedBefore()) {
      all.put("SCR_CACHE_EVICT", "EARLY");
    }
    if (bypassesFull()) {
      all.put("SCR_CACHE_FULL", "BYPASS");
    }
    all.putAll(rare());
    if (readsAll()) {
      all.put("SCR_VERIFY_ON_RESTART", "always");
    }
    if (variant.limited()) {
      all.put("SCR_FLUSH_ASYNC_BW", "" + bytesPerSecond());
      all.put("SCR_FLUSH_WIDTH", "" + nodes);
    }
    return all;
  }

  /** Parameters that are seldom set, each for itself. */
  private Map<String, String> rare() {
    Map<String, String> some = new LinkedHashMap<>();
    Random random = drawOf(21, 0, 0);
    RARE.forEach((parameter, values) -> {
      if (random.nextInt(RARE_KINDS) == 0) {
        some.put(parameter, values.get(random.nextInt(values.size())));
      }
    });
    return some;
  }

  /** Whether a restart reads files, too, that are sealed. Then any byte of a cache may rot. */
  boolean readsAll() {
    return profile.kinds().contains(Trouble.Kind.BYTE_ROTS) && seed % READING_KINDS != 0;
  }

  /** The limit of background flushes. */
  long bytesPerSecond() {
    return BYTES_PER_SECOND_OF_A_RANK * ranks();
  }

  /** The system's configuration file. @param withSizes or stores have what there is, as those of another job */
  String configuration(boolean withSizes) {
    Stream<String> all = Stream.concat(names(nodes + spares).stream(), RivalJob.names(nodes).stream());
    String size = withSizes && hasSize() ? " SIZE=" + sizeBytes().getAsLong() : "";
    String stores = variant.twoStores() ? "STORE=/local/cache COUNT=" + parameters.get("SCR_CACHE_SIZE") + size
        + "\nSTORE=" + SECOND_STORE + " COUNT=1" + size + "\n"
        : size.isEmpty() ? "" : "STORE=/local/cache" + size + "\n";
    return stores + descriptors() + (groupSize() == 1 ? "" : all
        .map(node -> "GROUPS=" + node + " POWER=" + group(node) + "\n").collect(Collectors.joining()));
  }

  /** Its lines that say where and how checkpoints are protected, if there are any. */
  private String descriptors() {
    String compression = variant.form() == Form.COMPRESSED ? " COMPRESS=ZSTD" : "";
    String scheme = " TYPE=" + parameters.get("SCR_COPY_TYPE") + compression + "\n";
    if (!variant.twoStores()) {
      return compression.isEmpty() ? "" : "CKPT=0 INTERVAL=1" + scheme;
    }
    return "CKPT=0 INTERVAL=1 STORE=/local/cache TYPE=SINGLE" + compression + "\n"
        + "CKPT=1 INTERVAL=2 STORE=" + SECOND_STORE + scheme;
  }

  /** How many nodes, or groups of them, may be lost with the caches that have a file. */
  int tolerance(String path) {
    return variant.twoStores() && !path.startsWith(SECOND_STORE) ? 0 : tolerance;
  }

  int ranks() {
    return nodes * ranksPerNode;
  }

  @Override
  public String toString() {
    return "seed " + seed + ", faults " + profile + ": " + nodes + " nodes with " + ranksPerNode + " ranks, " + spares
        + " spares, " + (groupSize() > 1 ? "in groups of " + groupSize() + ", " : "")
        + (hasSmallSets() ? "small sets, " : "")
        + (room().isPresent() ? "small disks" + (bypassesFull() ? " and past them, " : ", ") : "")
        + (losesOn() ? "losses go on, " : "")
        + overtaking(name(0)).map(how -> "jobs overtaken at one of " + how.oneOf() + " operations for "
            + how.mostMs() + " ms, ").orElse("")
        + (hasSize() ? "stores of " + sizeBytes().getAsLong() + " bytes" + (bypassesFull() ? " and past them, " : ", ")
            + (fileBytes().isPresent() ? "files of " + fileBytes().getAsInt() + ", " : "") : "")
        + (objectPart().isPresent() ? "object store by parts of " + objectPart().getAsInt() + ", " : "")
        + rival().map(rival -> rival + ", ").orElse("")
        + (prefixFailsAtStarts() ? "errors of the prefix directory at starts, " : "")
        + files + (rolling ? " rolling" : "") + " files a rank, checkpoints in each run " + steps + ", "
        + (variant.equals(Variant.PLAIN) ? "" : variant + ", ") + parameters + (rare().isEmpty() ? "" : ", " + rare());
  }
}
