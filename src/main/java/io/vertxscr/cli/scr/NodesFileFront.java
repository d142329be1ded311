package io.vertxscr.cli.scr;

import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.scavenge.PatientLocks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code scr_nodes_file}. */
@Command(exitCodeOnInvalidInput = Front.FAILED, description =
    "Print on how many nodes the last run was; 0, and exit code 1, where nobody knows.")
final class NodesFileFront extends Front {
  @Option(names = {"-d", "--dir"}, required = true, paramLabel = "DIR", description = "Prefix directory.")
  private Path directory;

  NodesFileFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    OptionalInt nodes = new FlushFileStore(prefix(directory), PatientLocks.user(name(), Duration.ZERO)).nodes();
    out().println(nodes.orElse(0));
    return nodes.isPresent() ? 0 : FAILED;
  }
}
