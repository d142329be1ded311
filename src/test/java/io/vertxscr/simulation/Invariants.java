package io.vertxscr.simulation;

import io.vertx.core.json.JsonObject;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.Ledger.Attempt;
import io.vertxscr.simulation.Outcome.Invariant;
import io.vertxscr.simulation.Scenario.Output;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.userspace.UserspacePath;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Looks whether the invariants hold. */
final class Invariants {
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

  private final World world;
  private final Scenario scenario;
  private final VirtualTime time;
  private final VirtualCluster cluster;
  private final Program main;
  private final Optional<RivalJob> rival;
  private final Map<Attempt, Set<String>> lostSince;
  /** Sizes of collections of daemons at rest, where somebody wants to know; that takes longer than all other checks. */
  private Optional<Map<String, Integer>> residue = Optional.empty();
  private int eventsSeen;

  Invariants(World world) {
    this.world = world;
    this.scenario = world.scenario;
    this.time = world.time;
    this.cluster = world.cluster;
    this.main = world.main;
    this.rival = world.rival;
    this.lostSince = world.lostSince;
  }

  /** Has sizes of the collections of daemons at rest collected. */
  void keepResidue() {
    residue = Optional.of(new TreeMap<>());
  }

  Map<String, Integer> residue() {
    return residue.orElseThrow();
  }

  /** What ranks were writing when their run ended has gone, where the daemon lives on and nothing kept it from that. */
  void checkUnfinished(int run) {
    boolean isKept = scenario.troubles().stream()
        .anyMatch(trouble -> trouble.kind().hidesNodes() || trouble.kind().hurtsDisk());
    Set<String> resting = world.ranks.stream().map(rank -> rank.node).distinct()
        .filter(node -> cluster.isAlive(node) && !world.hasBegun.contains(node) && isAtRest(node))
        .collect(Collectors.toSet());
    main.ledger().attempts().stream().filter(attempt -> !isKept && attempt.run == run && !attempt.acknowledged)
        .flatMap(attempt -> attempt.cached.stream()
            .filter(path -> resting.contains(World.nodeOf(path)) && !attempt.saved.contains(World.nodeOf(path)))
            .filter(path -> world.machine(World.nodeOf(path)).files.find((UserspacePath) path) != null)
            .map(path -> World.nodeOf(path) + " still has " + path + " of " + attempt + ", which nobody has completed"))
        .findFirst().ifPresent(left -> world.violated(Invariant.NOTHING_LEAKS, left));
  }

  /** Whether something has happened since the last look. */
  boolean hasNews() {
    return cluster.bus().events().size() > eventsSeen || rival.isPresent() && rival.get().hasPublished();
  }

  /** What has happened since the last look. */
  void look() {
    List<JsonObject> events = cluster.bus().events();
    List<JsonObject> news = events.subList(eventsSeen, events.size());
    List<JsonObject> flushes = news.stream().filter(event -> event.getString("type").equals("flush-done")).toList();
    news.stream().filter(event -> event.getString("type").equals("published-damaged")).forEach(this::checkDamage);
    eventsSeen = events.size();
    if (!flushes.isEmpty() || rival.isPresent()) {
      world.checkPrefix();
      flushes.forEach(this::checkLimit);
    }
  }

  private void checkDamage(JsonObject event) {
    Stream.of(main, world.guest).filter(program -> program.prefix().toString().equals(event.getString("about")))
        .filter(program -> program.ledger().attempts().stream().noneMatch(attempt -> attempt.isRotten))
        .forEach(_ -> world.violated(Invariant.LISTED_IS_WHOLE, "published dataset " + event.getInteger("dataset")
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
            world.violated(Invariant.LIMITS_HOLD, attempt + " was flushed in " + seconds + " s, at least " + bytes
                + " bytes at no more than " + scenario.bytesPerSecond() + " a second");
          }
        });
  }

  /** What a restart of the run has offered. */
  void checkOffers(int run) {
    List<Attempt> offered = world.ranks.stream().map(rank -> rank.offered).filter(java.util.Objects::nonNull).distinct()
        .toList();
    if (offered.size() > 1) {
      world.violated(Invariant.OFFERED_IS_GOOD, "run " + run + " was offered several checkpoints: " + offered);
    }
    offered.stream().filter(attempt -> !(attempt.isCheckpoint() && world.ranks.getFirst().program.ledger()
            .mayBeComplete(attempt)))
        .forEach(attempt -> world.violated(Invariant.OFFERED_IS_GOOD, "run " + run + " was offered " + attempt
            + ", which is no checkpoint that all ranks have completed"));
  }

  void checkIsNewest(Rank rank, Optional<Attempt> offered) {
    if (offered.filter(Attempt::isOfRival).isPresent()) {
      return;                                             // which of the two is newer, nobody can say
    }
    if (rival.isPresent() || rank.program.ledger().hasCurrent()) {
      world.checkPrefix();                                      // it may have replaced what was there
    }
    // the history of restarts is in the prefix directory: a leader that cannot read it does without
    offered.filter(attempt -> attempt.isRemoved || attempt.isPassedOver
            && world.prefixAwayUntilNs < world.runBeganNs && world.indexEditedNs <= world.runBeganNs)
        .ifPresent(attempt -> world.violated(Invariant.REMOVED_STAYS_AWAY, "rank " + rank.number + " is offered "
            + attempt + ", which was removed, or passed over"));
    Optional<Attempt> due = due(rank.program.ledger());
    boolean lacksRoom = offered.isPresent()               // an older one is better than none
        && (world.fullUntilNs >= world.runBeganNs || world.roomBytes.isPresent() && !hasRoom(due));
    // so it is where the newest is in the prefix directory alone, and some node cannot read that
    boolean isOutOfReach = offered.isPresent() && world.prefixAwayUntilNs >= world.runBeganNs
        && due.filter(attempt -> attempt.evicted.isEmpty() && world.isWithinTolerance(attempt)).isEmpty();
    if (!rank.gone && !lacksRoom && !isOutOfReach && due.isPresent()
        && offered.map(attempt -> attempt.number).orElse(-1) < due.get().number) {
      world.violated(Invariant.NEWEST_IS_OFFERED, "rank " + rank.number + " is offered "
          + offered.map(Attempt::toString).orElse("nothing") + ", and " + due.get() + " was acknowledged"
          + (due.get().flushed ? " and is in the prefix directory" : "; lost since: " + lostSince.get(due.get())));
    }
  }

  /**
   * Whether nothing keeps all nodes from making room for it. It is in the prefix directory, or whole in the caches,
   * from where it can be brought there.
   */
  boolean hasRoom(Optional<Attempt> due) {
    Scenario.Variant variant = scenario.variant();
    return due.filter(attempt -> (attempt.flushed && !attempt.isRotten || isWholeInCaches(attempt))
            && main.ledger().attempts().stream()
                .noneMatch(newer -> newer.number > attempt.number && !newer.saved.isEmpty())).isPresent()
        && !variant.guest() && variant.output() == Output.NONE;
  }

  private boolean isWholeInCaches(Attempt attempt) {
    return attempt.evicted.isEmpty() && lostSince.getOrDefault(attempt, Set.of()).isEmpty()
        && world.prefixAwayUntilNs < world.runBeganNs;
  }

  /** The newest that must be offered; empty: none has to be. */
  Optional<Attempt> due(Ledger ledger) {
    return ledger.attempts().stream()
        .filter(attempt -> attempt.isCheckpoint() && (attempt.acknowledged || attempt.hasReplaced))
        .filter(attempt -> !attempt.isUnwanted)
        .filter(attempt -> attempt.flushed && !attempt.isRotten
            || attempt.evicted.isEmpty() && world.isWithinTolerance(attempt))
        .max(Comparator.comparingInt(attempt -> attempt.number));
  }

  /** Nobody waits for what nobody will answer; a question of the scrub, or of a flush, is answered some time. */
  void checkQuestions(String name) {
    for (long endNs = time.nowNs() + world.bound().toNanos(); cluster.unanswered(name) > 0 && time.nowNs() < endNs; ) {
      cluster.pass(Duration.ofMillis(50));
    }
    if (cluster.unanswered(name) > 0) {
      world.violated(Invariant.NOTHING_LEAKS, name + " waits for " + cluster.unanswered(name)
          + " answers, and the last run with faults is over");
    }
  }

  /** When there was time to flush all that can be flushed, without a run. */
  void checkOutput() {
    for (long endNs = time.nowNs() + FLUSHES.toNanos(); !missing().isEmpty() && time.nowNs() < endNs; ) {
      cluster.pass(Duration.ofSeconds(30));
      world.checkPrefix();
    }
    missing().forEach(attempt -> world.violated(Invariant.OUTPUT_ARRIVES,
        attempt + " was acknowledged; lost since: " + lostSince.get(attempt)));
  }

  private List<Attempt> missing() {
    return Stream.of(main, world.guest).flatMap(program -> program.ledger().attempts().stream()
        .filter(attempt -> attempt.acknowledged && !attempt.flushed
            && (attempt.flags.output() || attempt.isOrdered && !attempt.wasFlushed && !mayBeOvertaken(program, attempt))
            && !attempt.isUnwanted && !attempt.isRotten
            && (attempt.isInPlace || world.isWithinTolerance(attempt)) && !program.ledger().isBarred(attempt)
            && !program.ledger().mayBeReplaced(attempt, scenario.mayBypass()))).toList();
  }

  /** Whether a newer checkpoint of the same paths may have come there before, or it may have gone for newer ones. */
  private boolean mayBeOvertaken(Program program, Attempt attempt) {
    boolean goes = !scenario.parameters().get("SCR_PREFIX_SIZE").equals("0");
    return goes || scenario.rolling() && program.ledger().attempts().stream().anyMatch(
        newer -> newer.number > attempt.number && newer.isCheckpoint() && newer.wasFlushed);
  }

  /** Nothing more comes of time where all daemons have forgotten everything already. */
  void rest() {
    long endNs = time.nowNs() + REST.toNanos();
    do {
      cluster.pass(LEAST_REST);
    } while (time.nowNs() < endNs && !cluster.alive().stream().allMatch(this::isAtRest));
  }

  void checkLeaks() {
    for (String name : cluster.alive()) {
      awaitEndOfScrub(name);
      Machine machine = world.machine(name);
      if (!machine.files.openFiles().isEmpty()) {
        world.violated(Invariant.NOTHING_LEAKS, name + " has open files: " + machine.files.openFiles());
      }
      if (!machine.leases().isEmpty() || !machine.openUploads().isEmpty() && !isFlushPending(name)) {
        world.violated(Invariant.NOTHING_LEAKS, name + " has leases " + machine.leases() + " and uploads "
            + machine.openUploads() + " in the object store");
      }
      if (world.shared.locks(name) > 0) {
        world.violated(Invariant.NOTHING_LEAKS,
            name + " has " + world.shared.locks(name) + " locks of the prefix file system");
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
      world.violated(Invariant.NOTHING_LEAKS, name + " at rest: " + time.level(cluster.loop(name)) + ", and "
          + cluster.unanswered(name) + " questions without an answer");
    }
  }

  private boolean isAtRest(String name) {
    VirtualTime.Level level = time.level(cluster.loop(name));
    int healings = world.isTight() ? 1 : 0;         // tried again, until there is room for lost parts
    long barred = main.ledger().attempts().stream().filter(main.ledger()::isBarred).count();   // each is tried again
    return level.jobs() == 0 && level.timers() <= MOST_TIMERS + damaged(name) + healings + barred
        && level.promises() <= MOST_PROMISES && cluster.unanswered(name) == 0;
  }
}
