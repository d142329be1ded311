package io.vertxscr.simulation;

import io.vertxscr.simulation.SimulatedDisk.Kept;
import io.vertxscr.simulation.Trouble.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

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
 * @param tolerance how many nodes may be lost
 */
record Scenario(long seed, Profile profile, int nodes, int spares, int ranksPerNode, int files, boolean rolling,
    List<Integer> steps, Variant variant, Map<String, String> parameters, int tolerance, List<Trouble> troubles) {
  private static final int MOST_TROUBLES = 3;
  private static final int MOST_RUN_MS = 3_000;

  /**
   * What the runs do beside their checkpoints. Drawn by itself, so that an addition changes no other draw.
   *
   * @param output datasets of the program that are to stay in the prefix directory
   * @param form of datasets in the prefix directory
   * @param clashes whether two ranks write one path in every third checkpoint
   */
  record Variant(Output output, Form form, boolean clashes) {
    static final Variant PLAIN = new Variant(Output.NONE, Form.FILES, false);

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
      return new Variant(output, form, form != Form.BYPASS && random.nextInt(6) == 0);
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
    BYPASS
  }

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
    List<Integer> steps = IntStream.range(0, 2 + random.nextInt(2)).mapToObj(_ -> 1 + random.nextInt(3)).toList();
    int spares = random.nextInt(3);
    int ranksPerNode = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 1;
    int files = 1 + random.nextInt(2);
    boolean rolling = random.nextInt(3) == 0;
    Variant variant = Variant.draw(new Random(~seed * 0x9E3779B97F4A7C15L), rolling);
    Scenario plain = new Scenario(seed, profile, nodes, spares, ranksPerNode, files, rolling, steps, variant,
        parameters, tolerance, List.of());
    return plain.with(plain.draw(random));
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

  private List<Trouble> draw(Random random) {
    List<Trouble> troubles = new ArrayList<>();
    List<Kind> losses = profile.losses().toList();
    List<String> victims = new ArrayList<>(names(nodes));
    java.util.Collections.shuffle(victims, random);
    int most = Math.min(nodes - 1, tolerance);
    int lost = profile == Profile.BEYOND ? most + 1 : losses.isEmpty() ? 0 : random.nextInt(most + 1);
    int together = random.nextInt(steps.size());
    for (int i = 0; i < lost && i < victims.size(); i++) {
      Kind kind = losses.get(random.nextInt(losses.size()));
      int run = profile == Profile.BEYOND ? together : random.nextInt(steps.size());
      troubles.add(trouble(random, kind, run, List.of(victims.get(i))));
    }
    List<Kind> harmless = profile.harmless();
    int others = harmless.isEmpty() ? 0 : random.nextInt(MOST_TROUBLES + 1);
    for (int i = 0; i < others; i++) {
      Kind kind = harmless.get(random.nextInt(harmless.size()));
      int first = random.nextInt(nodes);
      int count = kind == Kind.CUT || kind == Kind.CUT_ONE_WAY ? 1 + random.nextInt(Math.max(1, nodes - 1)) : 1;
      List<String> struck = kind == Kind.ALL_LOSE_POWER || kind == Kind.BAD_LINKS || kind == Kind.PREFIX_IS_FULL
          ? names(nodes + spares)
          : IntStream.range(0, count).mapToObj(k -> name((first + k) % nodes)).sorted().toList();
      troubles.add(trouble(random, kind, random.nextInt(steps.size()), struck));
    }
    troubles.sort(Comparator.comparingInt(Trouble::run).thenComparingInt(Trouble::afterMs));
    return troubles;
  }

  private static Trouble trouble(Random random, Kind kind, int run, List<String> nodes) {
    int afterMs = random.nextInt(1 + random.nextInt(MOST_RUN_MS));
    int forMs = switch (kind) {
      case PAUSE, CUT, CUT_ONE_WAY -> random.nextBoolean() ? random.nextInt(4_000) : random.nextInt(60_000);
      case BAD_LINKS -> random.nextInt(20_000);
      case DISK_IS_FULL, PREFIX_IS_FULL, DISK_HANGS, PREFIX_HANGS -> random.nextInt(30_000);
      case CLOCK -> (random.nextBoolean() ? 1 : -1) * random.nextInt(4 * 3_600_000);
      default -> 0;
    };
    int number = switch (kind) {
      case DAEMON_DIES_WITHIN, NODE_IS_LOST_WITHIN, DISK_FAILS, PREFIX_FAILS -> 1 + random.nextInt(120);
      default -> 0;
    };
    Kept[] kept = Kept.values();
    return new Trouble(kind, run, afterMs, nodes, forMs, number, kept[random.nextInt(3)]);
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
      case FILES -> { }
      case COMPRESSED -> all.put("SCR_COPY_TYPE", "FILE");
      case CONTAINERS -> {
        all.put("SCR_USE_CONTAINERS", "1");
        all.put("SCR_CONTAINER_SIZE", "4096");
      }
      case BYPASS -> all.put("SCR_CACHE_BYPASS", "1");
    }
    return all;
  }

  /** The system's configuration file. */
  String configuration() {
    return variant.form() == Form.COMPRESSED ? "CKPT=0 INTERVAL=1 TYPE=" + parameters.get("SCR_COPY_TYPE")
        + " COMPRESS=ZSTD\n" : "";
  }

  int ranks() {
    return nodes * ranksPerNode;
  }

  @Override
  public String toString() {
    return "seed " + seed + ", faults " + profile + ": " + nodes + " nodes with " + ranksPerNode + " ranks, " + spares
        + " spares, " + files + (rolling ? " rolling" : "") + " files a rank, checkpoints in each run " + steps + ", "
        + (variant.equals(Variant.PLAIN) ? "" : variant + ", ") + parameters;
  }
}
