package io.vertxscr.simulation;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.Ledger.Attempt;
import io.vertxscr.simulation.Outcome.Invariant;
import io.vertxscr.simulation.Ledger.Wish;
import io.vertxscr.simulation.Scenario.Deed;
import io.vertxscr.simulation.Scenario.Output;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Runs of programs: their ranks, from {@code init} to {@code finish}, and what ends them. */
final class ProgramRuns {
  private static final int LAUNCHER_MS = 10_000;
  private static final int HALT_AGAIN_MS = 20;
  private static final int CLASHES = 3;

  private final World world;
  private final Scenario scenario;
  private final VirtualTime time;
  private final Loop script;
  private final VirtualCluster cluster;
  private final Program main;
  private final Operator operator;
  private final Strikes strikes;
  private final Invariants invariants;
  /** What ranks of the run have been told at their n-th question whether to exit. */
  private Map<Integer, Boolean> advice = new HashMap<>();
  /**
   * So many checkpoints may be written in the run, and nothing keeps anybody from counting them; 0: not so. A rank may
   * be answered once more by what held before the last one.
   */
  private int mostCheckpoints;
  private int runs;

  ProgramRuns(World world, Operator operator, Strikes strikes, Invariants invariants) {
    this.world = world;
    this.scenario = world.scenario;
    this.time = world.time;
    this.script = world.script;
    this.cluster = world.cluster;
    this.main = world.main;
    this.operator = operator;
    this.strikes = strikes;
    this.invariants = invariants;
  }

  void run(Program program, int run, List<String> hosts, int steps, List<Trouble> troubles)
      throws IOException {
    runs++;
    world.hasBegun.clear();
    world.stores.runBegins();
    world.runBeganNs = time.nowNs();
    world.ranks = new ArrayList<>();
    advice = new HashMap<>();
    for (int number = 0; number < program.ledger().ranks(); number++) {
      world.ranks.add(new Rank(world, program, number, hosts.get(number / program.ranksPerNode())));
    }
    troubles.forEach(trouble -> script.after(trouble.afterMs(), () -> strikes.strikes(trouble)));
    List<Rank> mine = world.ranks;
    if (steps > 0 && program == main) {
      scenario.stop(run).filter(halt -> halt.checkpoints() == 0)
          .ifPresent(halt -> script.after(halt.afterMs(), () -> haltNow(mine)));
    }
    boolean[] killed = new boolean[1];
    long troublesNs = time.nowNs() + World.NS_PER_MS * troubles.stream().mapToInt(Trouble::afterMs).max().orElse(0);
    for (Rank rank : world.ranks) {
      begin(rank, run, steps);
    }
    long boundNs = world.bound().toNanos();
    while (!isOver()) {
      world.machines.values().forEach(machine -> world.faultsEndNs = Math.max(world.faultsEndNs, machine.failedNs()));
      long deadlineNs = Math.max(Math.max(world.faultsEndNs, troublesNs), lastProgressNs()) + boundNs;
      if (time.nowNs() >= deadlineNs) {
        world.stop(Invariant.EVERY_CALL_IS_ANSWERED, "run " + run + ": " + waiting());
      }
      time.runUntil(() -> isOver() || invariants.hasNews() || !killed[0] && hasFailed(),
          Duration.ofNanos(deadlineNs - time.nowNs()));
      invariants.look();
      if (!world.violations.isEmpty()) {
        throw new World.Stopped();
      }
      if (!killed[0] && hasFailed()) {
        killed[0] = true;
        script.after(LAUNCHER_MS, () -> killWhoCannotBegin(mine));
      }
    }
    time.runUntil(() -> false, Duration.ofNanos(Math.max(0, Math.max(world.faultsEndNs, troublesNs) - time.nowNs())));
    invariants.checkOffers(run);
    world.stores.runEnds();
    world.checkPrefix();
  }

  /** Of all programs, so far. */
  int count() {
    return runs;
  }

  /**
   * Limits what may be written in the next run.
   *
   * @param checkpoints so many, and nothing keeps anybody from counting them; 0: not so
   */
  void mayWrite(int checkpoints) {
    mostCheckpoints = checkpoints;
  }

  /** Whether it was halted before it had begun. */
  boolean wasRefused() {
    return world.ranks.stream().allMatch(rank -> rank.failure != null && rank.failure.startsWith(Fault.HALTED + " "));
  }

  private void haltNow(List<Rank> running) {
    if (running.stream().anyMatch(rank -> !rank.isOver())
        && !operator.changes(halt -> halt.withReason(Optional.of("JOB_HALTED")))) {
      script.after(HALT_AGAIN_MS, () -> haltNow(running));
    }
  }

  /** A launcher ends the processes of a job that has lost one. Those who are in the run must hear of it by then. */
  private static void killWhoCannotBegin(List<Rank> of) {
    of.stream().filter(rank -> "init".equals(rank.waitsFor)).forEach(Rank::dies);
  }

  private long lastProgressNs() {
    return world.ranks.stream().filter(rank -> !rank.isOver()).mapToLong(rank -> rank.sinceNs).min().orElse(0);
  }

  private String waiting() {
    return world.ranks.stream().filter(rank -> !rank.isOver())
        .map(rank -> "rank " + rank.number + " on " + rank.node + " waits for " + rank.waitsFor + " since "
            + rank.sinceNs / World.NS_PER_MS + " ms").toList().toString();
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
      world.said("rank " + rank.number + " of run " + run + (failure == null ? " ends" : " fails: " + rank.failure));
    });
  }

  /** What a rank was told; it must be of use to somebody. */
  private String told(Rank rank, Throwable failure) {
    if (!(failure instanceof ScrException scr) || scr.fault() == Fault.INTERNAL) {
      StringWriter stack = new StringWriter();
      failure.printStackTrace(new PrintWriter(stack));
      world.violated(Invariant.NO_BUGS, "rank " + rank.number + ": " + stack);
      return failure.toString();
    }
    String text = scr.fault() + " " + scr.getMessage();
    boolean names = switch (scr.fault()) {
      case NODE_LOST, RANK_LOST -> text.matches("(?s).*(node n|rank )\\d.*");
      default -> scr.getMessage() != null && !scr.getMessage().isBlank();
    };
    if (!names) {
      world.violated(Invariant.FAILURES_NAME_THE_CAUSE, "rank " + rank.number + ": " + text);
    }
    return text;
  }

  private Future<Integer> restart(Rank rank, VirtualSession session) {
    return rank.call("restart", session.restart()).compose(found -> {
      if (found.isEmpty()) {
        invariants.checkIsNewest(rank, Optional.empty());
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
      return all.onSuccess(_ -> invariants.checkIsNewest(rank, read.stream().findFirst()))
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
    if (offered != null) {                                // it is protected in the sets of this run
      offered.tolerance = Math.min(offered.tolerance, world.setsTolerate());
    }
    if (offered != null && world.ranks.stream().allMatch(rank -> rank.offered == offered)) {
      offered.readOn.clear();
      world.ranks.forEach(rank -> offered.readOn.add(rank.node));
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
        world.violated(Invariant.OFFERED_IS_GOOD, "rank " + rank.number + " reads in " + path + " of " + name
            + " the bytes of " + whose);
      }
      whose.ifPresent(read::add);
    } catch (IOException e) {
      world.violated(
          Invariant.OFFERED_IS_GOOD, "rank " + rank.number + " cannot read " + path + " of " + name + ": " + e);
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
        world.violated(Invariant.HALTS_ARE_OBEYED, "rank " + rank.number + " of run " + run + " is told " + exit
            + " behind " + written + " checkpoints, and may write " + mostCheckpoints);
      }
      Boolean others = advice.putIfAbsent(number, exit);
      if (others != null && !others.equals(exit)) {
        world.violated(Invariant.HALTS_ARE_OBEYED, "rank " + rank.number + " of run " + run + " is told " + exit
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
    boolean all = world.mayAllHear();
    if (!rank.gone && wish.isGranted(all || world.mayAllRead())) {
      world.said(wish + " is done");
      if (all) {
        main.inspection().checkDeleted(wish);
      }
    }
  }

  private Future<Void> dataset(Rank rank, VirtualSession session, int run, int step, DatasetFlags flags) {
    world.stores.asks(rank);
    return rank.call("start " + step, session.startOutput("step-" + step, flags)).compose(phase -> {
      Attempt attempt = rank.program.ledger().attempt(run, step, flags);
      attempt.nodes.add(rank.node);
      world.lostSince.computeIfAbsent(attempt, _ -> {
        attempt.begunNs = time.nowNs();
        return world.away.stream().map(scenario::group).collect(Collectors.toCollection(HashSet::new));
      });
      List<String> failed = new ArrayList<>();
      Future<Void> written = Future.succeededFuture();
      for (int file = 0; file < scenario.files(); file++) {
        int number = file;
        String name = rank.program.prefix() + "/" + scenario.path(step, rank.number, file);
        written = written.compose(_ -> rank.call("route", phase.route(name))).map(path -> {
          attempt.isIn(rank.path(path));
          attempt.asked = scenario.tolerance(path.toString());
          attempt.tolerance = Math.min(attempt.asked, world.setsTolerate());
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
      }).compose(_ -> pause(world.random.nextInt(200))).compose(_ -> {
        if (failed.isEmpty() && !rank.gone && !clashes) {
          attempt.called.add(rank.number);
        }
        return rank.call("complete " + step, phase.complete(failed.isEmpty()));
      }).map(_ -> {
        if (clashes) {
          world.violated(Invariant.OFFERED_IS_GOOD, attempt + " was acknowledged, and two ranks have written one path");
        }
        return acknowledged(rank, attempt);
      }).otherwise(failure -> {
        if (Fault.of(failure) == Fault.NOT_VALID && (clashes || !failed.isEmpty())) {
          return null;                                    // its own doing; it goes on
        }
        throw failure instanceof RuntimeException known ? known : new IllegalStateException(failure);
      });
    }).onComplete((_, failure) -> world.stores.told(rank, step, failure == null ? null : Fault.of(failure)))
        .recover(failure -> lacksRoom(failure) ? Future.succeededFuture() : Future.failedFuture(failure));
  }

  /** Of this rank or of another one; all of them go on without the dataset. */
  private boolean lacksRoom(Throwable failure) {
    return world.roomBytes.isPresent() && Set.of(Fault.NO_SPACE, Fault.NOT_VALID).contains(Fault.of(failure))
        || scenario.hasSize() && Fault.of(failure) == Fault.NO_SPACE;
  }

  private Void acknowledged(Rank rank, Attempt attempt) {
    if (!rank.gone && !attempt.acknowledged) {
      attempt.acknowledged = true;
      world.acknowledgedNs = world.wallNs();
      world.said(attempt + " is complete");
      world.stores.completes(attempt);
      if (attempt.isCheckpoint() && world.roomBytes.isEmpty()) {
        scenario.room().ifPresent(strikes::shrink);
      }
      strikes.losePowerBehind();
      if (!attempt.dropped.isEmpty()) {
        world.violated(Invariant.EVICTED_IS_REPLACED, attempt + " was acknowledged, and has been deleted by "
            + attempt.dropped);
      }
      if (attempt.isInPlace) {
        world.checkPrefix();
        if (!attempt.flushed && !attempt.isRotten) {
          world.violated(Invariant.NEWEST_IS_OFFERED, attempt + " was acknowledged and is not in the index");
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

  /** A run waits for somebody to drop what another program has lost parts of, under the id of its checkpoint. */
  boolean isInTheWay() {
    return allFailed("one dataset of an id only");
  }

  /**
   * A run that is to begin in the prefix directory could not flush what is cached for it, as another job has taken that
   * over, or has published a dataset of the same id.
   */
  boolean isBarred() {
    return world.flushesInTurns() && allFailed("could not be flushed to");
  }

  private boolean allFailed(String because) {
    return world.ranks.stream().allMatch(rank -> rank.failure != null && rank.failure.contains(because));
  }

  /**
   * A run could not begin, as its only checkpoint is in the prefix directory, and caches have no room for it; or it
   * could not go on, as output that nobody can flush is all that its store may have.
   */
  boolean hadNoRoom() {
    return scenario.room().isPresent() && !invariants.hasRoom(invariants.due(main.ledger()))
        && world.ranks.stream().allMatch(rank -> rank.failure != null)
        && world.ranks.stream().anyMatch(rank -> rank.failure.startsWith(Fault.NO_SPACE + " "))
        && world.ranks.stream().allMatch(rank -> rank.failure.startsWith(Fault.NO_SPACE + " ")
            || rank.failure.startsWith(Fault.RANK_LOST + " "));   // the others may hear of who has heard that first
  }

  /** Asked at each event, as is {@link #isOver}. */
  boolean hasFailed() {
    for (Rank rank : world.ranks) {
      if (rank.failure != null) {
        return true;
      }
    }
    return false;
  }

  boolean isOver() {
    for (Rank rank : world.ranks) {
      if (!rank.isOver()) {
        return false;
      }
    }
    return true;
  }

  String failures() {
    return world.ranks.stream().filter(rank -> rank.failure != null)
        .map(rank -> "rank " + rank.number + ": " + rank.failure).findFirst().orElse("");
  }
}
