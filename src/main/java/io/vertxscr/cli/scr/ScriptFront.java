package io.vertxscr.cli.scr;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Common part of the commands around the runs of a script: the prefix directory is an option. */
abstract class ScriptFront extends Front {
  @Option(names = {"-p", "--prefix"}, paramLabel = "DIR", description =
      "Prefix directory; SCR_PREFIX if not given, else the working directory.")
  private Path prefix;

  ScriptFront(Surroundings surroundings) {
    super(surroundings);
  }

  /** Whether SCR is switched off. */
  final boolean isDisabled() {
    return "0".equals(environment().get("SCR_ENABLE"));
  }

  /** A command of ours for the same prefix directory. */
  final List<String> words(String command) {
    List<String> words = new ArrayList<>(List.of(command));
    if (prefix != null) {
      words.addAll(List.of("--prefix", prefix.toString()));
    }
    return words;
  }

  /** Prints the exit code as SCR does: 0, or 1 for all failures. */
  final int exit(int ours) {
    int exit = ours == 0 ? 0 : FAILED;
    out().println(name() + ": exit code: " + exit);
    return exit;
  }
}
