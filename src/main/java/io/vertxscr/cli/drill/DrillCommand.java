package io.vertxscr.cli.drill;

import io.vertxscr.cli.daemon.SocketOption;
import io.vertxscr.cli.drill.DrillPlan.DrillWork;
import io.vertxscr.cli.drill.DrillPlan.Strike;
import io.vertxscr.cli.drill.LivePlan.LiveRun;
import io.vertxscr.client.ScrClient;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.Plural;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.JobDirectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code scr drill}: rehearses a recovery and measures it (docs/flows/drill.md). */
@Command(name = DrillCommand.NAME, sortOptions = false, description = {
    "Practise a recovery: daemons and ranks of its own write checkpoints on this machine, a node is killed, the ranks"
        + " are started again, and every byte is compared with what was written.",
    "With --live it is the run of an application: the drill waits for a protected checkpoint, has a command of yours"
        + " kill a node, and looks on while those restart the application who do that after every loss.",
    "Prints the time until the loss was noticed, the data was rebuilt and the first step was done again (RTO), and the"
        + " work lost (RPO). Exit code 0 if all checks passed, 1 if not. Nothing is left running, and no file but those"
        + " asked for."})
final class DrillCommand implements Callable<Integer> {
  static final String NAME = "drill";
  private static final long LAST_MOMENTS_S = 60;
  private static final int SEEDS = 1_000_000;
  private static final Set<String> ONLY_LIVE = Set.of("--kill-command", "--yes-really", "--socket");
  private static final Set<String> WITH_LIVE = Stream.concat(ONLY_LIVE.stream(), Stream.of("--live", "--kill-node",
      "--seed", "--max-rto", "--max-rpo", "--patience", "--json", "--junit")).collect(Collectors.toUnmodifiableSet());

  private final Map<String, String> environment;

  @Spec
  private CommandSpec spec;

  @Option(names = "--nodes", defaultValue = "4", paramLabel = "N",
      description = "Daemons that play nodes: node1, node2, ... (${DEFAULT-VALUE}).")
  private int nodes;

  @Option(names = "--ranks", paramLabel = "N", description = "Ranks of the program; as many as nodes if not given.")
  private Integer ranks;

  @Option(names = "--bytes", defaultValue = "4MB", paramLabel = "N", converter = ByteSizeOption.class,
      description = "That each rank writes in a checkpoint, such as 4096, 300KB or 1.5g (${DEFAULT-VALUE}).")
  private long bytes;

  @Option(names = "--scheme", defaultValue = "XOR", paramLabel = "SINGLE|PARTNER|XOR|RS",
      description = "How checkpoints are protected (${DEFAULT-VALUE}).")
  private Scheme scheme;

  @Option(names = "--flush", paramLabel = "N", description = "Every Nth checkpoint goes to the prefix directory, 0 for"
      + " none; if not given 0, and with --hang-prefix 1.")
  private Integer flushEvery;

  @Option(names = "--kill-node", split = ",", paramLabel = "NODE",
      description = "Kill these nodes, daemon and ranks, with SIGKILL; one by chance if not given, with --live not that"
          + " of the daemon that is asked.")
  private List<String> victims = List.of();

  @Option(names = "--hide-node", split = ",", paramLabel = "NODE",
      description = "These nodes hang instead: their daemons are stopped by SIGSTOP, as if the network had lost them."
          + " Spare nodes take their places; they go on after the restart, and must find the others.")
  private List<String> hidden = List.of();

  @Option(names = "--lose-cache", description = "All that is stored on these nodes is lost with them.")
  private boolean loseCache;

  @Option(names = "--spare",
      description = "Spare nodes take the places of those that are killed; else these come back.")
  private boolean spare;

  @Option(names = "--hang-prefix", defaultValue = "0", paramLabel = "SECONDS",
      description = "From the loss on the prefix directory does not answer for so long, and until the next checkpoint"
          + " is protected; needs bindfs.")
  private int hangSeconds;

  @Option(names = "--seed", paramLabel = "N",
      description = "Of node, step and bytes: the same seed makes the same choice; printed; by chance if not given.")
  private Long seed;

  @Option(names = "--checkpoints", defaultValue = "2", paramLabel = "N",
      description = "Checkpoints before the loss (${DEFAULT-VALUE}).")
  private int checkpoints;

  @Option(names = "--every", defaultValue = "5", paramLabel = "STEPS",
      description = "Steps between checkpoints (${DEFAULT-VALUE}).")
  private int every;

  @Option(names = "--step-ms", defaultValue = "100", paramLabel = "MS",
      description = "Length of a step (${DEFAULT-VALUE}).")
  private int stepMs;

  @Option(names = "--max-rto", paramLabel = "SECONDS", description = "Fail if the first step again is later.")
  private Double maxRto;

  @Option(names = "--max-rpo", paramLabel = "SECONDS", description = "Fail if more work is lost.")
  private Double maxRpo;

  @Option(names = "--patience", defaultValue = "120", paramLabel = "SECONDS",
      description = "Longest wait for each part of the drill (${DEFAULT-VALUE}).")
  private int patienceSeconds;

  @Option(names = "--cache", paramLabel = "DIR",
      description = "Storage for the caches; the drill makes a directory of its own there, and deletes it at the end.")
  private Path caches;

  @Option(names = "--prefix", paramLabel = "DIR", description = "The same for the prefix directory.")
  private Path prefix;

  @Option(names = "--logs", paramLabel = "DIR", description = "For the logs of the daemons; not kept if not given.")
  private Path logs;

  @Option(names = "--live",
      description = "Drill with the run that is on, of this user and job; needs --kill-command and --yes-really.")
  private boolean live;

  @Option(names = "--kill-command", paramLabel = "COMMAND",
      description = "With --live: for a shell; kills the node whose name takes the place of " + LivePlan.NODE + ", as"
          + " in 'ssh {node} pkill -KILL -f vertx-scr'.")
  private String killCommand;

  @Option(names = "--yes-really",
      description = "With --live: that run may lose all work since its last checkpoint, or more.")
  private boolean yesReally;

  @Mixin
  private SocketOption socket;

  @Option(names = "--json", description = "Print the result as JSON (docs/json.md).")
  private boolean json;

  @Option(names = "--junit", paramLabel = "FILE", description = "Write the result as JUnit XML, too.")
  private Path junit;

  DrillCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    var bounds = new DrillOutcome.Objectives(bound("--max-rto", maxRto), bound("--max-rpo", maxRpo));
    if (patienceSeconds < 1) {
      throw wrong("--patience " + patienceSeconds + ": expected at least 1");
    }
    if (junit != null && Files.isDirectory(junit)) {
      throw wrong("--junit " + junit + ": is a directory");
    }
    if (junit != null && !Files.isDirectory(junit.toAbsolutePath().getParent())) {
      throw wrong("--junit " + junit + ": " + junit.toAbsolutePath().getParent() + " is no directory");
    }
    rejectOptionsOfTheOtherKind();
    DrillResult result = live ? LivePage.result(liveDrill(), bounds) : DrillPage.result(drill(plan()), bounds);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(result.json().encodePrettily());
    } else {
      result.lines().forEach(out::println);
    }
    if (junit != null) {
      JunitReport.write(junit, result);
    }
    return result.passed() ? 0 : 1;
  }

  private void rejectOptionsOfTheOtherKind() {
    for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
      if (live ? !WITH_LIVE.contains(option.longestName()) : ONLY_LIVE.contains(option.longestName())) {
        throw wrong(option.longestName() + (live ? " does not go with --live: the run is what it is"
            : " is for --live: this drill has a run of its own"));
      }
    }
  }

  private LiveOutcome liveDrill() throws IOException, InterruptedException {
    if (killCommand == null) {
      throw wrong("--live needs --kill-command: how a node of this cluster is killed");
    }
    LiveRun run = Optional.ofNullable(socket.askAny(environment, ScrClient::status)
        .getJsonObject("cluster").getJsonObject("run")).map(LiveRun::of)
        .orElseThrow(() -> new ScrException(Fault.WRONG_STATE, "no run is on: start the program first"));
    List<String> asked = socket.sockets(environment).stream().map(JobDirectory::nodeOf).toList();
    LivePlan plan;
    try {
      plan = LivePlan.choose(run, victims, asked, killCommand, seed());
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
    if (!yesReally) {
      throw wrong("this would kill " + String.join(", ", plan.victims()) + " of a run that is not the drill's own (job"
          + " '" + Names.printable(run.jobName()) + "', " + Plural.of(run.ranks(), "rank") + ", prefix "
          + Names.printable(run.prefix()) + "); with --yes-really it does");
    }
    return new LiveDrill(plan, socket, environment, TimeUnit.SECONDS.toMillis(patienceSeconds), this::say).run();
  }

  private long seed() {
    return seed != null ? seed : new SecureRandom().nextInt(SEEDS);
  }

  private void say(String line) {
    spec.commandLine().getErr().println("scr drill: " + Names.printable(line));
  }

  private DrillPlan plan() {
    try {
      long chosen = seed();
      List<String> names = DrillPlan.names(1, Math.max(1, nodes));
      DrillWork work = new DrillWork(ranks != null ? ranks : names.size(), bytes, every, stepMs, checkpoints);
      String trouble = hangSeconds > 0 ? HangingMount.trouble(environment.getOrDefault("PATH", "")) : null;
      if (trouble != null) {
        throw wrong("--hang-prefix: " + trouble);
      }
      return new DrillPlan(names, work, scheme, flushEvery != null ? flushEvery : hangSeconds > 0 ? 1 : 0,
          strike(DrillPlan.choose(chosen, names, work, hidden.isEmpty() ? victims : hidden, loseCache, spare)),
          chosen);
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  private Strike strike(Strike chosen) {
    if (!hidden.isEmpty() && !victims.isEmpty()) {
      throw wrong("--kill-node and --hide-node do not go together");
    }
    return (hidden.isEmpty() ? chosen : chosen.hiding()).hanging(hangSeconds);
  }

  private OptionalDouble bound(String option, Double seconds) {
    if (seconds != null && !(seconds >= 0)) {
      throw wrong(option + " " + seconds + ": expected 0 seconds or more");
    }
    return seconds == null ? OptionalDouble.empty() : OptionalDouble.of(seconds);
  }

  private ParameterException wrong(String why) {
    return new ParameterException(spec.commandLine(), why);
  }

  private String program() {
    String home = environment.getOrDefault("SCR_HOME", "");
    if (home.isEmpty()) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "SCR_HOME is not set: start the drill with bin/scr");
    }
    return Path.of(home, "bin", "scr").toString();
  }

  /** Leaves no process and no directory of the drill, also where this process is asked to end meanwhile. */
  private DrillOutcome drill(DrillPlan plan) throws IOException, InterruptedException {
    BlockingQueue<DrillSignal> signals = new LinkedBlockingQueue<>();
    CountDownLatch done = new CountDownLatch(1);
    Thread hook = new Thread(() -> {
      signals.add(new DrillSignal.Interrupted(System.nanoTime()));
      await(done);
    }, "scr-drill-stop");
    Runtime.getRuntime().addShutdownHook(hook);
    try (DrillSite site = DrillSite.create(plan, program(), environment, new DrillSite.DrillPlaces(
        Optional.ofNullable(caches), Optional.ofNullable(prefix), Optional.ofNullable(logs)), signals)) {
      return new Drill(plan, site, signals, TimeUnit.SECONDS.toMillis(patienceSeconds), this::say).run();
    } finally {
      done.countDown();
      remove(hook);
    }
  }

  private static void await(CountDownLatch done) {
    try {
      done.await(LAST_MOMENTS_S, TimeUnit.SECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // It is running: the process is ending.
    }
  }
}
