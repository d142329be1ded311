package io.vertxscr.cli.scr;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code scr_run}, and with the launcher in the name {@code scr_srun}, {@code scr_mpirun} and others. */
@Command(exitCodeOnInvalidInput = Front.FAILED, description = {
    "Run a program with daemons on all nodes of the allocation, restart it, scavenge, as 'scr run' does:"
        + " [launcher] [its arguments] [-rc|--run-cmd COMMAND] [-rs|--restart-cmd COMMAND].",
    "The restart command is used where there is a checkpoint; SCR_CKPT_NAME in it stands for its name.",
    "Exit code 0 if the last run has succeeded, else 1."})
final class RunFront extends Front {
  private final Optional<String> launcher;

  @Parameters(arity = "0..*", paramLabel = "WORDS", description = "The launcher, its arguments and the commands.")
  private List<String> words = List.of();

  /** @param launcher the one of its name; empty where it is the first word */
  RunFront(Surroundings surroundings, Optional<String> launcher) {
    super(surroundings);
    this.launcher = launcher;
  }

  @Override
  public boolean takesWords() {
    return true;
  }

  @Override
  protected int answer() {
    List<String> all = new ArrayList<>(words);
    launcher.ifPresent(name -> all.addAll(0, name.equals("flux") ? flux(all) : List.of(name)));
    LauncherLine line;
    try {
      line = LauncherLine.parse(all);
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
    boolean hasLauncher = !line.launcher().isEmpty() && !line.launcher().getFirst().startsWith("-");
    if (!hasLauncher && (line.run().isPresent() || line.restart().isPresent())) {
      throw wrong("the launcher comes first; options of scr run, such as --nodes, go with 'scr run', or as SCR_RUNS,"
          + " SCR_MIN_NODES");
    }
    List<String> run = new ArrayList<>(List.of("run"));
    line.again().ifPresent(again -> again.forEach(word -> run.add("--restart-word=" + word)));
    run.addAll(line.first());
    return ours(run) == 0 ? 0 : FAILED;
  }

  /** Flux starts programs by a command of its own; older ones were called mini. */
  private static List<String> flux(List<String> words) {
    if (!words.isEmpty() && words.getFirst().equals("mini")) {
      words.removeFirst();
    }
    if (!words.isEmpty() && (words.getFirst().equals("run") || words.getFirst().equals("submit"))) {
      words.removeFirst();
    }
    return List.of("flux", "run");
  }
}
