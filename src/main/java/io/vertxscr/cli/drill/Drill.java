package io.vertxscr.cli.drill;

import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.drill.DrillNews.Topic;
import io.vertxscr.cli.drill.DrillPlan.Strike;
import io.vertxscr.cli.launch.Signal;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Plural;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The course of a drill, on the thread of the command. Signals come from a queue.
 * <pre>
 *   daemons start and see each other
 *   run 1: step, step, checkpoint ... nodes killed a few steps after one      loss, time 0
 *          a daemon tells of the loss; every rank has been told, and ended    DETECTED, TOLD
 *   the nodes come back, or spares are there                                  TOGETHER
 *   run 2: ranks started, init answered, every byte compared                  STARTED, RESTORED, VERIFIED
 *          step, step, checkpoint                                             FIRST_STEP, PROTECTED
 *          where the prefix directory hangs since the loss: it goes on        ANSWERED
 *          where nodes were hidden: they go on                                RETURNED
 *          to the end
 * </pre>
 * Every wait is bounded.
 */
final class Drill {
  private static final long TICK_MS = 250;
  private static final long AGREE_MS = 20_000;
  private static final int REJOINS = 2;
  private static final double NANOS = 1e9;

  private final DrillPlan plan;
  private final DrillSite site;
  private final BlockingQueue<DrillSignal> signals;
  private final long patienceMs;
  private final Consumer<String> progress;
  private final DrillRun first;
  private final DrillRun second;
  private final Map<Milestone, Long> after = new EnumMap<>(Milestone.class);
  private OptionalLong struckNanos = OptionalLong.empty();
  /** Nodes that are away on purpose. */
  private List<String> away = List.of();
  private int checkpoint = -1;
  private int reached = -1;

  /** @param patienceMs longest wait for each part of the drill */
  Drill(DrillPlan plan, DrillSite site, BlockingQueue<DrillSignal> signals, long patienceMs,
      Consumer<String> progress) {
    this.plan = plan;
    this.site = site;
    this.signals = signals;
    this.patienceMs = patienceMs;
    this.progress = progress;
    first = new DrillRun(plan.work().ranks());
    second = new DrillRun(plan.work().ranks());
  }

  /** Runs it; the caller closes the site. @throws ScrException STOPPING where this process is to end */
  DrillOutcome run() throws InterruptedException, IOException {
    Optional<String> failure = Optional.empty();
    try {
      untilLoss();
      strike();
      untilRestart();
      untilEnd();
    } catch (DrillException e) {
      failure = Optional.of(e.getMessage());
    } catch (ScrException e) {
      if (e.fault() == Fault.STOPPING) {
        throw e;
      }
      failure = Optional.of(e.getMessage());
    }
    return outcome(failure);
  }

  private DrillOutcome outcome(Optional<String> failure) {
    int restored = second.furthest(Topic.VERIFIED);
    OptionalDouble lost = restored < 0 || struckNanos.isEmpty() ? OptionalDouble.empty()
        : first.begun(restored).map(begun -> OptionalDouble.of((struckNanos.getAsLong() - begun) / NANOS))
            .orElse(OptionalDouble.empty());
    // What was done in the last moment before the loss may be told by its checkpoint alone.
    var steps = new DrillOutcome.DrillSteps(checkpoint, Math.max(reached, restored), restored);
    return new DrillOutcome(plan, struckNanos.isPresent(), after, steps, lost, second.difference(), failure);
  }

  // ---- the course ----

  private void untilLoss() throws InterruptedException, DrillException {
    List<String> all = new ArrayList<>(plan.nodes());
    all.addAll(plan.spares());
    progress.accept("starting " + Plural.of(all.size(), "daemon"));
    site.fleet().start(all);
    gather(all.size());
    Strike strike = plan.strike();
    progress.accept("run 1: " + Plural.of(plan.work().ranks(), "rank") + "; " + String.join(", ", strike.victims())
        + " will be " + (strike.hidden() ? "hidden" : "killed") + " after step " + strike.afterStep());
    site.startRanks(1, plan.places());
    long workMs = (long) strike.afterStep() * plan.work().stepMs();
    await("checkpoint " + plan.work().lastCheckpoint() + " and step " + strike.afterStep(), workMs + patienceMs,
        () -> first.all(Topic.PROTECTED, plan.work().lastCheckpoint())
            && first.reached(Topic.STEP, plan.victimRanks(), strike.afterStep()),
        () -> first.failure(List.of()).or(this::lostDaemon));
  }

  private void strike() throws IOException {
    List<String> victims = plan.strike().victims();
    progress.accept((plan.strike().hidden() ? "hiding " : "killing ") + String.join(", ", victims)
        + (plan.strike().cacheLost() ? " with all that is stored there" : ""));
    checkpoint = first.together(Topic.PROTECTED);
    reached = first.furthest(Topic.STEP);
    away = victims;
    site.hangPrefix();
    struckNanos = OptionalLong.of(System.nanoTime());
    if (plan.strike().hidden()) {
      site.hide(victims, plan.victimRanks());
    } else {
      site.kill(victims, plan.victimRanks());
    }
    if (plan.strike().cacheLost()) {
      site.loseStorage(victims);
    }
  }

  private void untilRestart() throws InterruptedException, DrillException {
    await("the event of the loss", patienceMs, () -> after.containsKey(Milestone.DETECTED), Optional::empty);
    await("the end of all ranks", patienceMs, first::hasEnded, Optional::empty);
    if (!plan.strike().hidden()) {
      await("the end of the killed daemons", patienceMs,
          () -> site.fleet().down().keySet().containsAll(plan.strike().victims()), Optional::empty);
    }
    if (!plan.strike().spares()) {
      progress.accept("starting " + String.join(", ", plan.strike().victims()) + " again");
      away = List.of();
      site.fleet().start(plan.strike().victims());
    }
    gather(plan.nodes().size());
    mark(Milestone.TOGETHER, System.nanoTime());
  }

  private void untilEnd() throws InterruptedException, DrillException, IOException {
    progress.accept("run 2: restart");
    site.startRanks(2, plan.placesAfter());
    mark(Milestone.STARTED, System.nanoTime());
    reach("init to be answered", Topic.JOINED, 0, Milestone.RESTORED);
    reach("every byte to be verified", Topic.VERIFIED, 0, Milestone.VERIFIED);
    int restored = second.furthest(Topic.VERIFIED);
    reach("the first step", Topic.STEP, restored + 1, Milestone.FIRST_STEP);
    reach("the next checkpoint", Topic.PROTECTED, restored + 1, Milestone.PROTECTED);
    untilHiddenNodesAreBack();
    untilPrefixAnswers();
    await("the end of the run", patienceMs, second::hasEnded, this::trouble);
    Optional<String> failed = second.failure(List.of());
    if (failed.isPresent()) {
      throw new DrillException(failed.get());
    }
  }

  /** They find the others by themselves. */
  private void untilHiddenNodesAreBack() throws InterruptedException, DrillException, IOException {
    if (plan.strike().hidden()) {
      List<String> hidden = plan.strike().victims();
      progress.accept("hidden nodes go on: " + String.join(", ", hidden));
      site.fleet().goOn(hidden);
      away = List.of();
      if (!agree(patienceMs, this::trouble)) {
        throw new DrillException("the nodes that were hidden do not find the others");
      }
      mark(Milestone.RETURNED, System.nanoTime());
    }
  }

  /** It hangs for as long as planned, and until all that must go on without it has done so. */
  private void untilPrefixAnswers() throws InterruptedException, DrillException, IOException {
    int seconds = plan.strike().hangSeconds();
    if (seconds > 0) {
      listen(struckNanos.orElseThrow() + TimeUnit.SECONDS.toNanos(seconds), () -> false, this::trouble);
      site.prefixGoesOn();
      mark(Milestone.ANSWERED, System.nanoTime());
    }
  }

  private void reach(String what, Topic topic, int step, Milestone milestone)
      throws InterruptedException, DrillException {
    await(what, patienceMs, () -> second.all(topic, step), this::trouble);
    mark(milestone, System.nanoTime());
  }

  /** Why the second run cannot go on; a difference counts before what follows from it. */
  private Optional<String> trouble() {
    if (second.furthest(Topic.ANEW) >= 0) {
      return Optional.of("there is no checkpoint to restart from: " + String.join(", ", plan.strike().victims())
          + " held more than the redundancy can do without, and nothing was flushed");
    }
    return second.difference().or(() -> second.failure(List.of())).or(this::lostDaemon);
  }

  private Optional<String> lostDaemon() {
    return site.fleet().down().entrySet().stream().filter(one -> !away.contains(one.getKey()))
        .map(one -> "node " + one.getKey() + ": " + one.getValue()).findFirst();
  }

  // ---- daemons ----

  /** Waits until so many daemons serve and see each other. */
  private void gather(int count) throws InterruptedException, DrillException {
    String what = Plural.of(count, "daemon") + " to be ready and to see each other";
    await(what, patienceMs, () -> site.fleet().isServing() && site.fleet().up().size() == count, this::lostDaemon);
    for (int rejoins = 0; !agree(AGREE_MS, Optional::empty); rejoins++) {
      Map<String, String> strays = site.fleet().strays();
      if (strays.isEmpty() || rejoins == REJOINS) {
        throw new DrillException("waited too long for " + what);
      }
      progress.accept("starting again, because each sees other nodes: " + String.join(", ", strays.keySet()));
      site.fleet().restart(strays.keySet());
      await(what, patienceMs, site.fleet()::isServing, this::lostDaemon);
    }
  }

  /** Whether all that are up find each other in that time. @param trouble why they cannot any more, if so */
  private boolean agree(long limitMs, Trouble trouble) throws InterruptedException, DrillException {
    boolean agreed = false;
    for (long tries = 0; !agreed && tries < limitMs / TICK_MS; tries++) {
      site.fleet().ping();                                // what they have said before does not count
      long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TICK_MS);
      agreed = listen(endNanos, site.fleet()::agrees, trouble);
    }
    return agreed;
  }

  // ---- signals ----

  /** Waits for a condition. @param trouble why it cannot come any more, if so */
  private void await(String what, long limitMs, BooleanSupplier condition, Trouble trouble)
      throws InterruptedException, DrillException {
    if (!listen(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs), condition, trouble)) {
      throw new DrillException("waited " + limitMs / 1000 + " s without success for " + what);
    }
  }

  /** Why a wait is over. */
  private interface Trouble {
    Optional<String> now();
  }

  private boolean listen(long endNanos, BooleanSupplier condition, Trouble trouble)
      throws InterruptedException, DrillException {
    while (!condition.getAsBoolean()) {
      Optional<String> why = trouble.now();
      if (why.isPresent()) {
        throw new DrillException(why.get());
      }
      long leftNanos = endNanos - System.nanoTime();
      if (leftNanos <= 0) {
        return false;
      }
      DrillSignal signal = signals.poll(leftNanos, TimeUnit.NANOSECONDS);
      if (signal != null) {
        hear(signal);
      }
    }
    return true;
  }

  private void hear(DrillSignal signal) {
    switch (signal) {
      case DrillSignal.OfDaemon(Signal told, long nanos) -> {
        site.hear(told);
        if (told instanceof Signal.Happened(JsonObject event) && struckNanos.isPresent() && tellsOfLoss(event)) {
          mark(Milestone.DETECTED, nanos);
        }
      }
      case DrillSignal.OfRank(int run, DrillNews news, long nanos) -> (run == 1 ? first : second).hear(news, nanos);
      case DrillSignal.RankEnded(int run, int rank, int exit, String last, long nanos) -> {
        (run == 1 ? first : second).ended(rank, exit == 0 ? "" : last.isEmpty() ? "exit code " + exit : last);
        if (run == 1 && first.hasEnded()) {
          mark(Milestone.TOLD, nanos);
        }
      }
      case DrillSignal.Interrupted _ -> throw new ScrException(Fault.STOPPING, "asked to end: the drill is stopped");
    }
  }

  /** Whether a daemon says that a victim is gone, or that the run is over because of it. */
  private boolean tellsOfLoss(JsonObject event) {
    return switch (event.getString("type", "")) {
      case "node-left" -> plan.strike().victims().contains(event.getString("about"));
      case "run-over" -> event.containsKey("fault");
      default -> false;
    };
  }

  /** The first time counts. */
  private void mark(Milestone milestone, long nanos) {
    struckNanos.ifPresent(struck ->
        after.putIfAbsent(milestone, Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos - struck))));
  }
}
