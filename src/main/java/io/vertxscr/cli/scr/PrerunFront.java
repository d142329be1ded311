package io.vertxscr.cli.scr;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code scr_prerun}. */
@Command(description = {"Check before the first run of a script whether a run can work.",
    "'scr prerun' takes more options: --hosts, --min-nodes, ..."})
final class PrerunFront extends ScriptFront {
  @Option(names = {"-v", "--verbose"}, description = NO_EFFECT + "everything is told already.")
  private boolean verbose;

  PrerunFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    if (isDisabled()) {
      return 0;
    }
    CommandAnswer answer = ask(words("prerun"));
    if (!answer.out().isBlank()) {
      out().println(name() + ": NODES: " + answer.out().strip());
    }
    return exit(answer.exit());
  }
}
