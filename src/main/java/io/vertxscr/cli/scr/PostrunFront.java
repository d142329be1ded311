package io.vertxscr.cli.scr;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code scr_postrun}. */
@Command(description = {
    "Scavenge after the last run of a script: copy what only the caches have to the prefix directory.",
    "The daemons must have been stopped. 'scr postrun' takes more options: --hosts, --remote, ..."})
final class PostrunFront extends ScriptFront {
  @Option(names = {"-j", "--joblauncher"}, paramLabel = "LAUNCHER", description =
      NO_EFFECT + "nodes are reached by the means of the resource manager, with any launcher.")
  private String launcher;

  @Option(names = {"-v", "--verbose"}, description = NO_EFFECT + "everything is told already.")
  private boolean verbose;

  PostrunFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    return isDisabled() ? 0 : exit(ours(words("postrun")));
  }
}
