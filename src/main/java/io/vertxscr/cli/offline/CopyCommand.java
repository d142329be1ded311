package io.vertxscr.cli.offline;

import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.LocalCopies;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code scr copy}: what this machine's caches have of a dataset, to the prefix directory. */
@Command(name = CopyCommand.NAME, sortOptions = false, description = {
    "Copy this machine's part of a dataset, with its redundancy, to the prefix directory.",
    "Its daemons must not be running. 'scr index --add' builds the dataset from the copies of all nodes.",
    "Exit code 3 if there is no part of it for this prefix directory, 1 if a daemon is running, or for other"
        + " failures."})
final class CopyCommand implements Callable<Integer> {
  static final String NAME = "copy";

  private final Map<String, String> environment;

  @Option(names = "--id", required = true, paramLabel = "ID", description = "The dataset's number.")
  private int id;

  @Mixin
  private PrefixOption prefix;

  @Mixin
  private CachesOption caches;

  @Spec
  private CommandSpec spec;

  CopyCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    if (id <= 0) {
      throw new ParameterException(spec.commandLine(), "--id " + id + ": datasets are numbered from 1");
    }
    PrefixPaths paths = prefix.paths(environment);
    var copies = new LocalCopies(paths, caches.nodesIfAny(environment),
        finding -> FindingLines.of(finding).forEach(spec.commandLine().getOut()::println));
    Optional<String> nothing = copies.copyIfNeeded(id, PrefixOption.index(paths));
    nothing.ifPresent(why -> spec.commandLine().getErr().println("scr: " + why));
    return nothing.isPresent() ? OfflineCommands.NOTHING_HERE : 0;
  }
}
