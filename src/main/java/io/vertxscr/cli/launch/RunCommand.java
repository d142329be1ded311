package io.vertxscr.cli.launch;

import io.vertxscr.config.Parameter;
import io.vertxscr.launch.LocalNodes;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code scr run}: daemons, program, restarts, scavenging (docs/flows/launch.md). */
@Command(name = RunCommand.NAME, sortOptions = false, description = {
    "Run a program with daemons on all nodes of the allocation: srun, flux run, jsrun, mpirun, or a script.",
    "After a failure it is relaunched without down nodes; at the end the caches are scavenged to the prefix directory.",
    "The exit code is that of the last run; 1 if none could begin, or not everything could be scavenged."})
final class RunCommand implements Callable<Integer> {
  static final String NAME = "run";

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

  private CommandSpec spec;

  RunCommand(Map<String, String> environment) {
    this.given = environment;
  }

  /** After the first word that is no option, all are the launcher's. */
  @Spec
  void setSpec(CommandSpec spec) {
    this.spec = spec;
    spec.parser().stopAtPositional(true);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Map<String, String> environment = options.environment(given);
    if (runs != null) {
      environment.put("SCR_RUNS", runs.toString());
    }
    PrefixPaths paths = options.paths(environment);
    JobPlan plan = plan(environment, paths, new LocalNodes(Optional.ofNullable(nodes), spares));
    Fleet.Setup setup = new Fleet.Setup(options.program(environment), plan.forDaemons(UUID.randomUUID().toString()),
        Optional.ofNullable(port), logs != null ? logs : paths.scr().resolve("logs"));
    JobOptions.requireWritable(paths);
    setup.makeLogs();
    PrintWriter err = spec.commandLine().getErr();
    options.remarks(environment, paths).forEach(remark -> err.println("scr run: " + remark));
    StartGate.letFinishedBeginAgain(paths).ifPresent(line -> err.println("scr run: " + line));
    boolean silent = environment.getOrDefault(Parameter.SCR_INIT_NOTICE_SECONDS.name(), "").strip().equals("0");
    LaunchedJob job = new LaunchedJob(plan, setup, err, LaunchedJob.AGREE_MS,
        silent ? LaunchedJob.NEVER_MS : LaunchedJob.NOTICE_MS);
    return new SupervisedJob(job, noScavenge ? Optional.empty()
        : Optional.of(new Scavenging(plan.allocation(), setup.program(), paths.prefix(), plan.variables())), err).run();
  }

  private JobPlan plan(Map<String, String> environment, PrefixPaths paths, LocalNodes local) {
    Allocation allocation = options.allocation(environment, local.daemons());
    return new JobPlan(allocation, allocation.program(words),
        restart.isEmpty() ? Optional.empty() : Optional.of(allocation.program(restart)),
        options.settings(environment, paths), paths, local.used(), JobOptions.variables(environment, paths));
  }
}
