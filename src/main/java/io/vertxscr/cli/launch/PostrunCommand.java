package io.vertxscr.cli.launch;

import io.vertxscr.prefix.metadata.PrefixPaths;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code scr postrun}: for scripts that start daemons and programs themselves. */
@Command(name = "postrun", description = {
    "Scavenge after the last run of a script: copy what only the caches have to the prefix directory.",
    "The daemons must have been stopped. Down nodes are excluded; exit code 1 if not everything was found."})
final class PostrunCommand implements Callable<Integer> {
  private final Map<String, String> given;

  @Mixin
  private JobOptions options;

  @Spec
  private CommandSpec spec;

  PostrunCommand(Map<String, String> environment) {
    this.given = environment;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Map<String, String> environment = options.environment(given);
    PrefixPaths paths = options.paths(environment);
    Allocation allocation = options.allocation(environment, OptionalInt.empty());
    Set<String> down = new DownNodes(allocation, options.settings(environment, paths)).find(List.of()).keySet();
    List<String> up = allocation.names().stream().filter(node -> !down.contains(node)).toList();
    return new Scavenging(allocation, options.program(environment), paths.prefix(),
        JobOptions.variables(environment, paths)).run(up, spec.commandLine().getErr());
  }
}
