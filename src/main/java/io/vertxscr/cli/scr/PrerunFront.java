package io.vertxscr.cli.scr;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code scr_prerun}. */
@Command(description = {"Check before the first run of a script whether a run can work.",
    "'scr prerun' takes more options: --hosts, --min-nodes, ..."})
final class PrerunFront extends Front {
  @Option(names = {"-p", "--prefix"}, paramLabel = "DIR", description =
      "Prefix directory; SCR_PREFIX if not given, else the working directory.")
  private Path prefix;

  @Option(names = {"-v", "--verbose"}, description = NO_EFFECT + "everything is told already.")
  private boolean verbose;

  PrerunFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    if ("0".equals(environment().get("SCR_ENABLE"))) {
      return 0;
    }
    List<String> words = new ArrayList<>(List.of("prerun"));
    if (prefix != null) {
      words.addAll(List.of("--prefix", prefix.toString()));
    }
    Answer answer = ask(words);
    if (!answer.out().isBlank()) {
      out().println(name() + ": NODES: " + answer.out().strip());
    }
    int exit = answer.exit() == 0 ? 0 : FAILED;
    out().println(name() + ": exit code: " + exit);
    return exit;
  }
}
