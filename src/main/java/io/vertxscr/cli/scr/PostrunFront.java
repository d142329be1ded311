package io.vertxscr.cli.scr;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code scr_postrun}. */
@Command(description = {
    "Scavenge after the last run of a script: copy what only the caches have to the prefix directory.",
    "The daemons must have been stopped. 'scr postrun' takes more options: --hosts, --remote, ..."})
final class PostrunFront extends Front {
  @Option(names = {"-j", "--joblauncher"}, paramLabel = "LAUNCHER", description =
      NO_EFFECT + "nodes are reached by the means of the resource manager, whatever starts programs.")
  private String launcher;

  @Option(names = {"-p", "--prefix"}, paramLabel = "DIR", description =
      "Prefix directory; SCR_PREFIX if not given, else the working directory.")
  private Path prefix;

  @Option(names = {"-v", "--verbose"}, description = NO_EFFECT + "everything is told already.")
  private boolean verbose;

  PostrunFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    if ("0".equals(environment().get("SCR_ENABLE"))) {
      return 0;
    }
    List<String> words = new ArrayList<>(List.of("postrun"));
    if (prefix != null) {
      words.addAll(List.of("--prefix", prefix.toString()));
    }
    int exit = ours(words) == 0 ? 0 : FAILED;
    out().println(name() + ": exit code: " + exit);
    return exit;
  }
}
