package io.vertxscr.cli.scr;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code scr_should_exit}: unlike {@code scr should-exit} it looks for itself which nodes are down. */
@Command(sortOptions = false, description = {
    "Exit with 0, and say why, if the program should not be started again in this allocation; else exit with 1.",
    "'scr should-exit' takes more options: --min-nodes, --exclude, ..."})
final class ShouldExitFront extends ScriptFront {
  @Option(names = "--down", paramLabel = "LIST", description = "Nodes that are known to be down.")
  private String down;

  @Option(names = "--runs", paramLabel = "N", description =
      NO_EFFECT + "a script counts its runs itself; 'scr run --runs N' does it for you.")
  private String runs;

  @Option(names = {"-v", "--verbose"}, description = NO_EFFECT + "everything is told already.")
  private boolean verbose;

  ShouldExitFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    List<String> nodes = words("list-down-nodes");
    if (down != null) {
      nodes.addAll(List.of("--down", down));
    }
    CommandAnswer answer = ask(nodes);
    if (answer.exit() != 0) {
      return answer.exit();
    }
    List<String> words = words("should-exit");
    words.addAll(List.of("--down", answer.out().strip()));
    return ours(words);
  }
}
