package io.vertxscr.cli.launch;

import io.vertxscr.config.Configuration;
import io.vertxscr.launch.Program;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code scr run}: daemons, program, restarts, scavenging (docs/flows/launch.md). */
@Command(name = "run", sortOptions = false, description = {
    "Run a program with daemons on all nodes of the allocation: srun, flux run, jsrun, mpirun, or a script.",
    "After a failure it is relaunched without down nodes; at the end the caches are scavenged to the prefix directory.",
    "The exit code is that of the last run; 1 if none could begin, or not everything could be scavenged."})
final class RunCommand implements Callable<Integer> {
  private static final long LAST_MOMENTS_S = 300;
  private static final int LARGEST_PORT = 65_535;

  private final Map<String, String> given;

  @Option(names = "--runs", paramLabel = "N", description =
      "Start it so many times in all, -1 for no limit; SCR_RUNS if not given, else 1.")
  private Integer runs;

  @Option(names = "--nodes", paramLabel = "N", description =
      "On one machine: so many daemons that play nodes; ranks are spread over them.")
  private Integer nodes;

  @Option(names = "--spares", defaultValue = "0", paramLabel = "N", description =
      "On one machine: so many more that wait to replace one.")
  private int spares;

  @Option(names = "--port", paramLabel = "PORT", description =
      "Port of the cluster on all nodes; by user and job if not given.")
  private Integer port;

  @Option(names = "--logs", paramLabel = "DIR", description =
      "For the logs of the daemons; .scr/logs in the prefix directory if not given.")
  private Path logs;

  @Option(names = "--no-scavenge", description = "Leave in the caches what is there when the last run has ended.")
  private boolean noScavenge;

  @Option(names = "--restart-word", hidden = true, paramLabel = "WORD", description =
      "A word of the command that takes the place of the launcher's where there is a checkpoint to restart from.")
  private List<String> restart = List.of();

  @Mixin
  private JobOptions options;

  @Parameters(paramLabel = "LAUNCHER", arity = "0..*", description = "The launcher and its arguments.")
  private List<String> words = List.of();

  @Spec
  private CommandSpec spec;

  RunCommand(Map<String, String> environment) {
    this.given = environment;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Map<String, String> environment = options.environment(given);
    if (runs != null) {
      environment.put("SCR_RUNS", runs.toString());
    }
    PrefixPaths paths = options.paths(environment);
    JobPlan plan = plan(environment, paths);
    JobOptions.requireWritable(paths);
    Path directory = logs(paths);
    PrintWriter err = spec.commandLine().getErr();
    options.remarks(environment, paths).forEach(remark -> err.println("scr run: " + remark));
    StartGate.letFinishedBeginAgain(paths).ifPresent(line -> err.println("scr run: " + line));
    LaunchedJob job = new LaunchedJob(plan,
        new Fleet.Setup(options.program(environment), ofDaemons(plan), Optional.ofNullable(port),
        directory), err, LaunchedJob.AGREE_MS);
    CountDownLatch done = new CountDownLatch(1);
    Thread hook = new Thread(() -> {
      job.stop("asked to end: the program is stopped");
      await(done);
    }, "scr-run-stop");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      LaunchedJob.JobOutcome outcome = job.run();
      int scavenged = noScavenge ? 0 : new Scavenging(plan.allocation(), options.program(environment), paths.prefix(),
          plan.variables()).run(outcome.up(), err);
      if (noScavenge || scavenged != 0) {
        outcome.cachedOnly().ifPresent(those -> err.println("scr run: " + those));
      }
      return outcome.exit() != 0 ? outcome.exit() : scavenged == 0 ? 0 : 1;
    } finally {
      done.countDown();
      remove(hook);
    }
  }

  private Path logs(PrefixPaths paths) {
    Path directory = (logs != null ? logs : paths.scr().resolve("logs")).toAbsolutePath();
    try {
      return Files.createDirectories(directory);
    } catch (IOException e) {
      throw new ScrException(Fault.IO, "the directory for the logs, " + directory + ", cannot be made: "
          + ScrException.reason(e), e);
    }
  }

  private JobPlan plan(Map<String, String> environment, PrefixPaths paths) {
    boolean local = nodes != null || spares > 0;
    if (nodes != null && nodes < 1 || spares < 0) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "--nodes " + nodes + " --spares " + spares
          + ": at least one node, and no fewer than no spares");
    }
    if (port != null && (port < 1 || port > LARGEST_PORT)) {
      throw new ScrException(Fault.BAD_CONFIGURATION,
          "--port " + port + ": a port is a number from 1 to " + LARGEST_PORT);
    }
    int used = nodes == null ? 1 : nodes;
    Allocation allocation =
        options.allocation(environment, local ? OptionalInt.of(used + spares) : OptionalInt.empty());
    Program program = program(words, allocation, environment);
    Optional<Program> restarted =
        restart.isEmpty() ? Optional.empty() : Optional.of(program(restart, allocation, environment));
    return new JobPlan(allocation, program, restarted, options.settings(environment, paths), paths, used,
        JobOptions.variables(environment, paths));
  }

  private static Program program(List<String> words, Allocation allocation, Map<String, String> environment) {
    String version = Program.mustBeAsked(words)
        ? new Outside(environment).ask(List.of(words.getFirst(), "--version")).orElse("") : "";
    Program program = Program.of(words, version);
    if (!allocation.isHere()) {
      program.refuseOwn();
    }
    return program;
  }

  /** Variables that tell the daemons of this call from those of another one. */
  private static Map<String, String> ofDaemons(JobPlan plan) {
    Map<String, String> variables = new TreeMap<>(plan.variables());
    variables.put(Configuration.LAUNCH, UUID.randomUUID().toString());
    return variables;
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
