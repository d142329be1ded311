package io.vertxscr.cli.launch;

import io.vertxscr.launch.LaunchSettings;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code scr prerun}: for scripts that start daemons and programs themselves. */
@Command(name = "prerun", description = {
    "Check before the first run of a script whether a run can work: configuration, prefix directory, nodes, halts.",
    "Prints the nodes, separated by commas. Exit code 1 if no run may begin, 2 for a wrong configuration."})
final class PrerunCommand implements Callable<Integer> {
  private final Map<String, String> given;

  @Mixin
  private JobOptions options;

  @Spec
  private CommandSpec spec;

  PrerunCommand(Map<String, String> environment) {
    this.given = environment;
  }

  @Override
  public Integer call() {
    Map<String, String> environment = options.environment(given);
    PrefixPaths paths = options.paths(environment);
    LaunchSettings settings = options.settings(environment, paths);
    JobOptions.variables(environment, paths);
    Allocation allocation = options.allocation(environment, OptionalInt.empty());
    JobOptions.requireWritable(paths);
    PrintWriter err = spec.commandLine().getErr();
    ShouldExitCommand.letFinishedBeginAgain(paths).ifPresent(line -> err.println("scr: " + line));
    Optional<String> halted = ShouldExitCommand.halted(paths, allocation, settings.haltSeconds());
    if (halted.isPresent()) {
      err.println("scr: " + halted.get());
      return 1;
    }
    spec.commandLine().getOut().println(String.join(",", allocation.names()));
    return 0;
  }
}
