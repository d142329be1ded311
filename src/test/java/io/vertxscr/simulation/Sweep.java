package io.vertxscr.simulation;

import io.vertxscr.simulation.SimulatedDisk.Kept;
import io.vertxscr.simulation.Steps.Counted;
import io.vertxscr.simulation.Trouble.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One more fault in a small scenario, once at each step of each node.
 *
 * <p>Steps are its operations on files, or its messages, from the begin of the first run until the last ones begin.
 *
 * <p>Where messages are struck, all nodes with their caches are lost behind the first run of every second seed, so that
 * the second one fetches. Where a daemon dies, another node is lost behind the second run of every second seed, so that
 * what the death has interrupted is all that there is to rebuild from.
 *
 * <p>Up to the fault all of these runs are the same. A fault that lasts, and what survives a loss of power, is another
 * one from step to step.
 */
final class Sweep {
  /** What may strike at a step. */
  static final List<Kind> KINDS =
      Stream.concat(Profile.STEPS.kinds().stream(), Stream.of(Kind.DAEMON_STAYS_AWAY)).toList();
  /** How long a pause is, or a message late: shorter and longer than what is taken for a loss, or asked again. */
  private static final List<Integer> LASTS_MS = List.of(3_000, 7_000, 12_000, 35_000);
  private static final int MOST_LATE_MS = 12_000;
  private static final int BEHIND_RUN_MS = 20_000;
  /** Less than a message takes, as long as a job, and longer than what others do meanwhile. */
  private static final List<Integer> STANDS_MS = List.of(3, 25, 400, 3_000);
  /** How long after a message its copy comes: before or behind what its sender does next, or when it has gone on. */
  private static final List<Integer> COPY_COMES_MS = List.of(30, 60, 3_000, 12_000);
  /** What can be divided by it is a seed in which looks fail. */
  private static final int LOOK_SEEDS = 4;
  /** What fails in the other even seeds. */
  private static final List<OperationFailure> IN_TURN =
      List.of(OperationFailure.OF_SYNC, OperationFailure.BEHIND, OperationFailure.REPEATED);

  private Scenario scenario;
  private final Kind kind;
  private final boolean isFollowedByLoss;
  private final List<Trouble> troubles = new ArrayList<>();

  private Sweep(Scenario scenario, Kind kind) {
    this.scenario = scenario;
    this.kind = kind;
    this.isFollowedByLoss = kind == Kind.DAEMON_DIES_WITHIN && scenario.profile() == Profile.NONE
        && scenario.tolerance() > 0 && scenario.seed() % 2 == 0;
  }

  /**
   * The same for the same seed.
   *
   * @param profile of the faults that there are beside; one that loses a node is no second one
   * @param kind one of {@link #KINDS}
   */
  static Sweep of(long seed, Profile profile, Kind kind) {
    if (!KINDS.contains(kind)) {
      throw new IllegalArgumentException(kind + " is at no step: " + KINDS);
    }
    Scenario drawn = Scenario.of(seed, profile);
    int nodes = drawn.hasSmallSets() ? 2 * drawn.leastNodes() : drawn.leastNodes() + 1;
    Sweep sweep = new Sweep(drawn.with(Math.min(drawn.nodes(), nodes), Math.min(drawn.spares(), 1),
        Math.min(drawn.ranksPerNode(), 2), drawn.files(), List.of(Math.min(drawn.steps().getFirst(), 2), 1)), kind);
    if (kind.isOfMessages() && profile == Profile.NONE && seed % 2 == 0) {
      sweep.scenario = sweep.scenario.with(List.of(sweep.allAreLost()));
    }
    boolean mayLose = drawn.tolerance() > 0
        && sweep.scenario.troubles().stream().noneMatch(trouble -> trouble.kind().loses());
    if (mayLose || !kind.loses()) {
      Simulation.count(sweep.scenario).forEach(sweep::add);
    }
    return sweep;
  }

  /** When the first run is over, and what it has flushed is there: the next one fetches. */
  private Trouble allAreLost() {
    return new Trouble(Kind.NODE_IS_LOST, 0, BEHIND_RUN_MS, Scenario.names(scenario.nodes() + scenario.spares()),
        0, 0, Kept.NOTHING, OperationFailure.ANY);
  }

  /** When the second run is over. The daemon that has died comes back before the last runs. */
  private Trouble oneIsLost(Trouble death) {
    List<String> others = Scenario.names(scenario.nodes()).stream()
        .filter(node -> !scenario.group(node).equals(scenario.group(death.nodes().getFirst()))).toList();
    return new Trouble(Kind.NODE_IS_LOST, 1, BEHIND_RUN_MS, List.of(others.get(death.number() % others.size())), 0, 0,
        Kept.NOTHING, OperationFailure.ANY);
  }

  private void add(String node, Map<Counted, Integer> counts) {
    int steps = struck().mapToInt(counted -> counts.getOrDefault(counted, 0)).sum();
    Kept[] kept = Kept.values();
    IntStream.rangeClosed(1, steps).forEach(step -> troubles.add(new Trouble(
        kind, 0, 0, List.of(node), lastsMs(step), step, kept[step % kept.length], failure(step))));
  }

  private Stream<Counted> struck() {
    return switch (kind) {
      case MESSAGE_IS_LOST, MESSAGE_IS_LATE, MESSAGE_IS_REPEATED -> Stream.of(Counted.MESSAGE);
      case DISK_FAILS -> Stream.of(looksFail() ? Counted.OWN_LOOK : Counted.OWN_FILE);
      case PREFIX_FAILS -> Stream.of(looksFail() ? Counted.PREFIX_LOOK : Counted.PREFIX_FILE);
      case LOCK_IS_LOST -> Stream.of(Counted.PREFIX_FILE);
      default -> Stream.of(Counted.OWN_FILE, Counted.PREFIX_FILE);
    };
  }

  private boolean looksFail() {
    return scenario.seed() % LOOK_SEEDS == 0;
  }

  private OperationFailure failure(int step) {
    if (kind != Kind.DISK_FAILS && kind != Kind.PREFIX_FAILS) {
      return OperationFailure.ANY;
    }
    return looksFail() ? OperationFailure.OF_LOOK
        : scenario.seed() % 2 == 0 ? IN_TURN.get(step % IN_TURN.size()) : OperationFailure.ANY;
  }

  private int lastsMs(int step) {
    int ms = LASTS_MS.get(step % LASTS_MS.size());
    return switch (kind) {
      case PAUSE_WITHIN -> ms;
      case THREAD_STANDS -> STANDS_MS.get(step % STANDS_MS.size());
      case LOCK_IS_LOST, MESSAGE_IS_LATE -> Math.min(ms, MOST_LATE_MS);
      case MESSAGE_IS_REPEATED -> COPY_COMES_MS.get(step % COPY_COMES_MS.size());
      default -> 0;
    };
  }

  /** How many steps there are. */
  int size() {
    return troubles.size();
  }

  /** With the fault at one of them, from 0. */
  Scenario at(int step) {
    List<Trouble> all = new ArrayList<>(scenario.troubles());
    Trouble trouble = troubles.get(step);
    all.add(trouble);
    if (isFollowedByLoss) {
      all.add(oneIsLost(trouble));
    }
    return scenario.with(all);
  }
}
