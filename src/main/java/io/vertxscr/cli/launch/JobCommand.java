package io.vertxscr.cli.launch;

import io.vertxscr.launch.LaunchSettings;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.io.PrintWriter;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Common part of the commands for scripts that start daemons and programs themselves. */
abstract class JobCommand implements Callable<Integer> {
  private final Map<String, String> given;

  @Mixin
  private JobOptions options;

  @Spec
  private CommandSpec spec;

  JobCommand(Map<String, String> given) {
    this.given = given;
  }

  /** The job that a command is about. */
  record JobScene(
      Map<String, String> environment, PrefixPaths paths, LaunchSettings settings, Allocation allocation) {
    /** SCR_* that daemons and ranks must have in common. @throws io.vertxscr.model.ScrException BAD_CONFIGURATION */
    Map<String, String> variables() {
      return JobOptions.variables(environment, paths);
    }
  }

  @Override
  public final Integer call() throws Exception {
    Map<String, String> environment = options.environment(given);
    PrefixPaths paths = options.paths(environment);
    return run(new JobScene(environment, paths, options.settings(environment, paths),
        options.allocation(environment, OptionalInt.empty())));
  }

  /** Does it. @return the exit code */
  abstract int run(JobScene job) throws Exception;

  /** This program, on every host. */
  final String program(JobScene job) {
    return options.program(job.environment());
  }

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  final PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
