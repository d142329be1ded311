package io.vertxscr.cli.scr;

import io.vertxscr.prefix.metadata.HaltFileStore;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code scr_halt}. */
@Command(sortOptions = false, description = {
    "Set or remove halt conditions of the runs in prefix directories. Without an option they stop after their next"
        + " checkpoint.", "TIME: 2026-11-20T11:58:50, or any form of 'scr halt'."})
final class HaltFront extends Front {
  @Option(names = {"-c", "--checkpoints"}, paramLabel = "N", description = "After N more checkpoints.")
  private Integer checkpoints;

  @Option(names = {"-b", "--before"}, paramLabel = "TIME", description = "Before this time, by HaltSeconds earlier.")
  private String before;

  @Option(names = {"-a", "--after"}, paramLabel = "TIME", description = "After the first checkpoint from then on.")
  private String after;

  @Option(names = {"-i", "--immediate"}, description = "At once.")
  private boolean immediate;

  @Option(names = {"-s", "--seconds"}, paramLabel = "N", description =
      "When the allocation has no more than N seconds left.")
  private String seconds;

  @Option(names = {"-l", "--list"}, description = "Print the conditions, and change nothing.")
  private boolean list;

  @Option(names = "--unset-checkpoints", description = "Remove --checkpoints.")
  private boolean unsetCheckpoints;

  @Option(names = "--unset-before", description = "Remove --before.")
  private boolean unsetBefore;

  @Option(names = "--unset-after", description = "Remove --after.")
  private boolean unsetAfter;

  @Option(names = "--unset-seconds", description = "Remove --seconds.")
  private boolean unsetSeconds;

  @Option(names = "--unset-reason", description = "Remove the reason of an earlier halt.")
  private boolean unsetReason;

  @Option(names = {"-r", "--remove"}, description = "Remove the halt file: runs may begin and continue.")
  private boolean remove;

  @Option(names = {"-v", "--verbose"}, description = NO_EFFECT + "everything is told already.")
  private boolean verbose;

  @Parameters(arity = "0..*", paramLabel = "DIR", description =
      "Prefix directories; the working directory if none is given.")
  private List<Path> directories = List.of();

  HaltFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    List<PrefixPaths> all = (directories.isEmpty() ? List.of(Path.of("")) : directories).stream()
        .map(Front::prefix).toList();
    List<Condition> conditions = List.of(
        new Condition("checkpoints", "CheckpointsLeft", checkpoints, unsetCheckpoints),
        new Condition("after", "ExitAfter", after, unsetAfter),
        new Condition("before", "ExitBefore", before, unsetBefore),
        new Condition("seconds", "HaltSeconds", seconds, unsetSeconds));
    List<String> words = new ArrayList<>(List.of("halt"));
    conditions.forEach(condition -> words.addAll(condition.words()));
    flag(words, "--unset-reason", unsetReason);
    flag(words, "--immediate", immediate);
    flag(words, "--list", list);
    flag(words, "--remove", remove);
    boolean halts = immediate || words.size() == 1;
    all.forEach(paths -> words.add(paths.prefix().toString()));
    int exit = ask(words).exit();
    if (exit == 0 && !remove) {
      List<String> doing = new ArrayList<>();
      conditions.forEach(condition -> condition.doing().ifPresent(doing::add));
      if (halts || unsetReason) {
        doing.add((halts ? "Setting" : "Unsetting") + " ExitReason");
      }
      all.forEach(paths -> print(paths, doing));
    }
    return exit;
  }

  /**
   * A condition that is set, removed, or unchanged.
   *
   * @param key in the halt file
   * @param value {@code null} where it is not set
   */
  private record Condition(String option, String key, Object value, boolean unset) {
    List<String> words() {
      return value != null ? List.of("--" + option, value.toString())
          : unset ? List.of("--unset-" + option) : List.of();
    }

    Optional<String> doing() {
      return value != null ? Optional.of("Setting " + key) : unset ? Optional.of("Unsetting " + key) : Optional.empty();
    }
  }

  private static void flag(List<String> words, String option, boolean given) {
    if (given) {
      words.add(option);
    }
  }

  private void print(PrefixPaths paths, List<String> doing) {
    doing.forEach(out()::println);
    if (!doing.isEmpty()) {
      out().println();
    }
    HaltFileStore file = new HaltFileStore(paths, PatientLocks.user(name(), Duration.ZERO));
    HaltForm.lines(file.file(), file.read(), ZoneId.systemDefault()).forEach(out()::println);
  }
}
