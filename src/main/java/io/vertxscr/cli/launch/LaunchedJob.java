package io.vertxscr.cli.launch;

import io.vertx.core.json.JsonObject;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.launch.Hostlist;
import io.vertxscr.launch.JobFlow.JobAction;
import io.vertxscr.launch.JobFlow.JobEvent;
import io.vertxscr.launch.JobFlow.JobState;
import io.vertxscr.launch.JobFlow.JobStep;
import io.vertxscr.launch.JobFlow.Rules;
import io.vertxscr.launch.JobFlow;
import io.vertxscr.launch.RunNews;
import io.vertxscr.launch.Watchdog;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.Plural;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.scavenge.PatientLocks;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A job from its first daemon to its last, on the thread of the command. Takes signals from a queue, lets
 * {@link JobFlow} decide, and acts on the decision. The prefix directory is read on other threads: where it hangs, the
 * job can be ended all the same.
 */
final class LaunchedJob {
  private static final long TICK_MS = 500;
  private static final long START_S = 180;
  /** After so long somebody who looks on is told what is waited for, once in each check of the nodes. */
  static final long NOTICE_MS = 2_000;
  /** As a notice: there is none. */
  static final long NEVER_MS = Long.MAX_VALUE;
  /** Longer than the daemons take to notice that one of them is gone. */
  static final long AGREE_MS = 20_000;
  /** Restarts of daemons that have not found the others, in each check of the nodes. */
  private static final int REJOINS = 2;
  private static final long PING_MS = 250;

  private final JobPlan plan;
  private final Fleet fleet;
  private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
  private final PrintWriter err;
  private final Path logs;
  private final Watchdog watchdog;
  private final RunNews news = new RunNews();
  private final long agreeMs;
  private final long noticeMs;
  private JobState state = new JobState.Starting();
  private Optional<RunningProgram> program = Optional.empty();
  private Optional<JobAction.Finish> finish = Optional.empty();
  private Rules rules;
  private long startedMs;
  private Map<String, String> toldDown = Map.of();
  /** The newest checkpoint of the index, when it was read last. */
  private Optional<String> listed = Optional.empty();
  /** What the prefix directory gives no answer to, in words. */
  private Optional<String> unanswered = Optional.empty();

  /**
   * A job that is to run.
   *
   * @param agreeMs how long daemons may take to see each other
   * @param noticeMs after which the user is told what is waited for
   */
  LaunchedJob(JobPlan plan, Fleet.Setup setup, PrintWriter err, long agreeMs, long noticeMs) {
    this.agreeMs = agreeMs;
    this.noticeMs = noticeMs;
    this.plan = plan;
    this.rules = new Rules(plan.settings().runs(), plan.minNodes(OptionalInt.empty()));
    this.fleet = new Fleet(plan.allocation(), setup, signals::add);
    this.logs = setup.logs();
    this.err = err;
    this.watchdog = new Watchdog(plan.settings().watchdogMs(), plan.settings().learns());
  }

  /** From any thread: the job is to end soon. */
  void stop(String why) {
    signals.add(new Signal.Stop(why));
  }

  /** Runs it to its end, all daemons stopped. Returns the exit code, and the nodes that were not down. */
  JobOutcome run() throws InterruptedException {
    try {
      plan.settings().excluded().stream().filter(plan.allocation().names()::contains)
          .forEach(node -> fleet.exclude(node, "excluded (SCR_EXCLUDE_NODES, --exclude)"));
      excludeByManager();
      List<String> first = plan.allocation().names().stream().filter(node -> !fleet.down().containsKey(node)).toList();
      if (!first.isEmpty() && haltReason().isEmpty() && finish.isEmpty()) {
        fleet.start(first);
        settle();
      }
      happened(checked());
      while (finish.isEmpty()) {
        listen(TICK_MS);
        if (program.isPresent() && watchdog.isHung(nowMs())) {
          say("no phase has begun or ended for " + watchdog.limitMs().getAsLong() / 1000 + " s: the run is killed");
          watchdog.ended();
          happened(new JobEvent.Hung());
          program.get().kill();
        }
      }
      if (!finish.get().why().isEmpty()) {
        say(finish.get().why());
      }
      return new JobOutcome(finish.get().exit(), fleet.up(), news.leftInCaches(fleet.up()), unanswered);
    } finally {
      program.ifPresent(RunningProgram::end);
      fleet.stop();
    }
  }

  /**
   * Result of the job.
   *
   * @param cachedOnly datasets that only the caches have, in a sentence; empty for none
   * @param unanswered what the prefix directory has given no answer to when the job was ended, in words; empty for
   *     nothing
   */
  record JobOutcome(int exit, List<String> up, Optional<String> cachedOnly, Optional<String> unanswered) {
    /** Exit code of the job with its scavenge. @param scavenged exit code of that; empty where there was none */
    int exitAfter(OptionalInt scavenged) {
      return exit != 0 ? exit : scavenged.orElse(0) == 0 ? 0 : 1;
    }

    /** What is only in the caches still, in a sentence. @param scavenged as above */
    Optional<String> leftInCaches(OptionalInt scavenged) {
      return scavenged.equals(OptionalInt.of(0)) ? Optional.empty() : cachedOnly;
    }
  }

  private void say(String line) {
    err.println("scr run: " + Names.printable(line));
  }

  private static long nowMs() {
    return System.nanoTime() / 1_000_000;
  }

  // ---- signals ----

  /** Handles queued signals, with a short wait for the first. */
  private void listen(long waitMs) throws InterruptedException {
    Signal first = signals.poll(waitMs, TimeUnit.MILLISECONDS);
    for (Signal signal = first; signal != null; signal = signals.poll()) {
      hear(signal);
    }
  }

  private void hear(Signal signal) throws InterruptedException {
    fleet.hear(signal);
    switch (signal) {
      case Signal.Happened(var event) -> onEvent(event.getString("type", ""), event);
      case Signal.Ended(int exit) -> {
        long ranMs = nowMs() - startedMs;
        program = Optional.empty();
        watchdog.ended();
        if (JobFlow.endedFromOutside(state, exit)) {
          fleet.endedFromOutside();
        }
        hearOut();
        happened(new JobEvent.Ended(exit, ranMs));
      }
      case Signal.Stop(String why) -> {
        if (program.isPresent()) {
          fleet.endedFromOutside();
        }
        happened(new JobEvent.Stop(why));
      }
      case Signal.Ready _, Signal.Pong _, Signal.Gone _, Signal.Answered _ -> { }
    }
  }

  /** Hears what daemons told before the program ended. Each answers behind it, on the same pipe. */
  private void hearOut() throws InterruptedException {
    fleet.ping();
    await(JobFlow.WORD_MS, fleet::haveAnswered);
  }

  private void onEvent(String type, JsonObject event) throws InterruptedException {
    tell(type, event);
    switch (type) {
      case "run-begun" -> {
        watchdog.progress(nowMs());
        happened(new JobEvent.Begun());
      }
      case "phase-started", "phase-refused", "dataset-discarded", "restored" -> watchdog.progress(nowMs());
      case "dataset-complete" -> {
        watchdog.progress(nowMs());
        happened(new JobEvent.Completed());
      }
      case "run-over" -> {
        boolean finalized = !event.containsKey("fault");
        if (finalized) {
          watchdog.ended();
        } else {
          watchdog.progress(nowMs());
        }
        happened(new JobEvent.RunOver(finalized, Optional.ofNullable(event.getString("cause"))
            .filter(_ -> Fault.NODE_LOST.name().equals(event.getString("fault")))));
      }
      case "halting" -> happened(new JobEvent.Halting(event.getString("cause", event.getString("reason", ""))));
      default -> { }
    }
  }

  /** Prints a message about an event, now or at the end. */
  private void tell(String type, JsonObject event) {
    int dataset = event.getInteger("dataset", 0);
    String cause = event.getString("cause", "");
    switch (type) {
      case "restored" -> {
        JsonObject ways = event.getJsonObject("ranks", new JsonObject());
        news.restored(dataset, ways.getInteger("kept", 0), ways.getInteger("moved", 0),
            ways.getInteger("rebuilt", 0), ways.getInteger("fetched", 0)).ifPresent(this::say);
      }
      case "run-begun" -> say(news.begun(event.getInteger("ranks", 0), event.getInteger("nodes", 0)));
      case "restart-passed-over" ->
          say("dataset " + dataset + " '" + event.getString("name") + "' is passed over: " + cause);
      case "restart-failed" -> say("dataset " + dataset + " could not be read by all ranks: " + cause);
      case "restart-anew" -> say(cause);
      case "phase-started" -> news.writing(dataset, event.getString("name", ""),
          event.getBoolean("checkpoint", false), event.getBoolean("output", false));
      case "dataset-complete" -> {
        if (event.getBoolean("published", false)) {
          news.flushed(dataset);
        } else {
          news.complete(dataset);
        }
      }
      case "flush-failed", "flush-given-up" -> news.flushFailed(dataset, cause);
      case "flush-done" -> news.flushed(dataset);
      case "dataset-discarded", "dataset-dropped", "evicted" -> news.gone(dataset);
      default -> { }
    }
  }

  private void happened(JobEvent event) throws InterruptedException {
    JobStep step = JobFlow.next(rules, state, event);
    state = step.state();
    step.remark().ifPresent(this::say);
    switch (step.action()) {
      case JobAction.None _ -> { }
      case JobAction.Start(int run) -> start(run);
      case JobAction.Pause(int seconds) -> {
        await(seconds * 1000L, () -> false);
        if (finish.isEmpty()) {
          settle();
          happened(checked());
        }
      }
      case JobAction.Check(String why) -> {
        if (!why.isEmpty()) {
          say(why);
        }
        settle();
        happened(checked());
      }
      case JobAction.AwaitWord _ -> {
        await(JobFlow.WORD_MS, () -> !(state instanceof JobState.Ending));
        happened(new JobEvent.Waited());
      }
      case JobAction.Revive _ -> {
        revive();
        happened(checked());
      }
      case JobAction.Finish end -> finish = Optional.of(end);
    }
  }

  // ---- nodes ----

  /** Waits until all daemons serve and see each other; restarts, then excludes those that do not. */
  private void settle() throws InterruptedException {
    serve();
    boolean agreed = agree();
    for (int tries = 0; !agreed && tries < REJOINS && rejoin(); tries++) {
      agreed = agree();
    }
    if (!agreed) {
      fleet.separate();
    }
    excludeByManager();
    tellDown();
  }

  private void serve() throws InterruptedException {
    long mostMs = START_S * 1000;
    boolean serving = await(Math.min(noticeMs, mostMs), fleet::isServing);
    if (!serving && noticeMs < mostMs) {
      say("waits for the daemons of " + Hostlist.compress(fleet.silent()) + " to start, up to " + START_S
          + " s; their logs are in " + logs);
      serving = await(mostMs - noticeMs, fleet::isServing);
    }
    if (!serving) {
      fleet.silent().forEach(node -> fleet.leaveOut(node, "its daemon was not ready within " + START_S + " s"));
    }
  }

  /** Whether a daemon has formed a cluster of its own (split brain), as may happen on a loaded machine. */
  private boolean rejoin() throws InterruptedException {
    Map<String, String> strays = fleet.strays();
    strays.forEach((node, why) -> say("node " + node + ": " + why + "; it is started again"));
    fleet.restart(strays.keySet());
    serve();
    return !strays.isEmpty();
  }

  private boolean agree() throws InterruptedException {
    boolean agreed = false;
    for (int tries = 0; !agreed && tries < agreeMs / PING_MS; tries++) {
      if (tries == noticeMs / PING_MS + 1) {
        say("waits for the daemons to find each other, up to " + agreeMs / 1000 + " s");
      }
      fleet.ping();                                       // what they have said before does not count
      agreed = await(PING_MS, fleet::agrees);
    }
    return agreed;
  }

  private boolean await(long limitMs, BooleanSupplier condition) throws InterruptedException {
    long endMs = nowMs() + limitMs;
    while (finish.isEmpty() && !fleet.up().isEmpty() && !condition.getAsBoolean()) {
      long leftMs = endMs - nowMs();
      if (leftMs <= 0) {
        return false;
      }
      listen(Math.min(leftMs, TICK_MS));
    }
    return true;
  }

  private void excludeByManager() {
    plan.allocation().downByManager(plan.allocation().names())
        .forEach(node -> fleet.exclude(node, plan.allocation().manager().name() + " says that it is down"));
  }

  private void revive() throws InterruptedException {
    Set<String> nodes = fleet.revivable();
    if (!nodes.isEmpty()) {
      say("too few nodes are left: starting daemons again on " + String.join(", ", new TreeSet<>(nodes)));
      fleet.start(nodes);
      settle();
    }
  }

  private void tellDown() {
    Map<String, String> down = fleet.down();
    down.forEach((node, why) -> {
      if (!why.equals(toldDown.get(node))) {
        say("node " + node + " is left out: " + why);
      }
    });
    toldDown = down;
  }

  /**
   * What decides whether a run begins. The prefix directory may fail for a while: that ends no job that has begun, and
   * daemons go on without the halt file, too.
   */
  private JobEvent checked() throws InterruptedException {
    Optional<String> halt = Optional.empty();
    try {
      halt = haltReason();
      OptionalInt last = read(plan.paths().nodesFile(),
          () -> new FlushFileStore(plan.paths(), PatientLocks.user("scr run")).nodes()).orElse(OptionalInt.empty());
      rules = new Rules(plan.settings().runs(), plan.minNodes(last));
      if (plan.restart().isPresent()) {
        listed = read(plan.paths().index(), () -> new PrefixIndex(plan.paths(), PatientLocks.user("scr run")).read()
            .index().candidates().stream().findFirst().map(Index.Entry::name)).flatMap(name -> name);
      }
    } catch (ScrException e) {
      if (state instanceof JobState.Starting) {
        throw e;
      }
      say("going on without what the prefix directory says of runs: " + e.getMessage());
    }
    return new JobEvent.Checked(fleet.up().size(), halt);
  }

  private Optional<String> haltReason() throws InterruptedException {
    return read(plan.paths().haltFile(), () ->
        new StartGate(plan.paths(), plan.allocation()).halted(plan.settings().haltSeconds())).flatMap(why -> why);
  }

  /** Reads a file of the prefix directory, and hears signals meanwhile. Empty if the job is ended before the answer. */
  private <T> Optional<T> read(Path file, Supplier<T> question) throws InterruptedException {
    if (finish.isPresent()) {
      return Optional.empty();
    }
    CompletableFuture<T> answer =
        CompletableFuture.supplyAsync(question, Thread.ofPlatform().daemon().name("scr-run-prefix")::start);
    answer.whenComplete((_, _) -> signals.add(new Signal.Answered()));
    long sinceMs = nowMs();
    // who is to end waits as long as it takes to tell a hang from a read that is under way
    while (!answer.isDone() && (finish.isEmpty() || unanswered.isEmpty())) {
      listen(Math.min(noticeMs, TICK_MS));
      long waitedMs = nowMs() - sinceMs;
      if (waitedMs >= noticeMs && !answer.isDone()) {
        String hang = "prefix: no answer for " + waitedMs / 1000 + " s: read " + file;
        if (unanswered.isEmpty()) {
          say(hang);
        }
        unanswered = Optional.of(hang);
      }
    }
    if (!answer.isDone()) {
      return Optional.empty();
    }
    unanswered = Optional.empty();
    try {
      return Optional.of(answer.join());
    } catch (CompletionException e) {
      throw e.getCause() instanceof ScrException known ? known : e;
    }
  }

  // ---- runs ----

  private void start(int run) throws InterruptedException {
    List<String> nodes = plan.nodesFor(fleet.up());
    Map<String, String> sockets = new HashMap<>();
    nodes.forEach(node -> sockets.put(node, fleet.socket(node)));
    // the checkpoint that it will find, for a restart command; that of the caches is newer
    List<String> command = new ArrayList<>(
        plan.command(nodes, fleet.down().keySet(), news.checkpointInCaches().or(() -> listed)));
    say("run " + run + " begins on " + Plural.of(nodes.size(), "node") + ": " + String.join(",", nodes));
    news.started();
    happened(new JobEvent.Started());
    startedMs = nowMs();
    watchdog.started(startedMs);
    program = Optional.of(RunningProgram.start(command, plan.environment(nodes, sockets), signals::add));
  }
}
