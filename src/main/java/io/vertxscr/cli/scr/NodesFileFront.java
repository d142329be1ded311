package io.vertxscr.cli.scr;

import io.vertxscr.prefix.metadata.FlushFileStore;
import java.util.OptionalInt;
import picocli.CommandLine.Command;

/** {@code scr_nodes_file}. */
@Command(exitCodeOnInvalidInput = Front.FAILED, description =
    "Print on how many nodes the last run was; 0, and exit code 1, where nobody knows.")
final class NodesFileFront extends DirectoryFront {
  NodesFileFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    OptionalInt nodes = new FlushFileStore(paths(), reader()).nodes();
    out().println(nodes.orElse(0));
    return nodes.isPresent() ? 0 : FAILED;
  }
}
