package io.vertxscr.cli.scr;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The words behind {@code scr_run}: {@code launcher [its arguments] [-rc CMD] [-rs CMD] [its arguments]}. Each command
 * is one word; it is cut at blanks. Pure.
 *
 * @param launcher the launcher and its arguments
 * @param run command to start; empty if it is in the arguments
 * @param restart command to start if there is a checkpoint; empty for the same
 */
public record LauncherLine(List<String> launcher, Optional<String> run, Optional<String> restart) {
  /** @throws IllegalArgumentException where a command is missing, with the option */
  public static LauncherLine parse(List<String> words) {
    List<String> launcher = new ArrayList<>();
    Optional<String> run = Optional.empty();
    Optional<String> restart = Optional.empty();
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      String option = word.split("=", 2)[0];
      boolean runs = option.equals("-rc") || option.equals("--run-cmd");
      if (!runs && !option.equals("-rs") && !option.equals("--restart-cmd")) {
        launcher.add(word);
        continue;
      }
      if (option.equals(word) && ++i == words.size()) {
        throw new IllegalArgumentException(option + ": a command is missing");
      }
      Optional<String> command = Optional.of(option.equals(word) ? words.get(i) : word.substring(option.length() + 1));
      run = runs ? command : run;
      restart = runs ? restart : command;
    }
    return new LauncherLine(List.copyOf(launcher), run, restart);
  }

  /** The command of a start without a checkpoint. */
  List<String> first() {
    return with(run);
  }

  /** The command of a start with one; empty where it is the same. */
  Optional<List<String>> again() {
    return restart.map(_ -> with(restart));
  }

  private List<String> with(Optional<String> command) {
    List<String> all = new ArrayList<>(launcher);
    command.ifPresent(words -> all.addAll(List.of(words.strip().split("\\s+"))));
    return all;
  }
}
