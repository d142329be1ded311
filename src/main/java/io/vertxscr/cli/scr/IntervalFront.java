package io.vertxscr.cli.scr;

import io.vertxscr.flow.advice.LevelIntervals.OfLevel;
import io.vertxscr.flow.advice.LevelIntervals;
import io.vertxscr.flow.advice.OptimalInterval;
import io.vertxscr.prefix.metadata.FailuresFileStore;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code scr_ckpt_interval}: for {@code SCR_CHECKPOINT_SECONDS} in a script; SCR_CHECKPOINT_OPTIMAL=1 needs none. */
@Command(sortOptions = false, description = {
    "Print the optimal checkpoint interval in seconds, as measured by the runs of a prefix directory.",
    "10 before a checkpoint was measured. 'scr explain interval' shows where the number comes from."})
final class IntervalFront extends Front {
  /** Before anything was measured: what SCR prints where there is no log. */
  private static final String NOT_MEASURED = "10";

  /** Of the literature. */
  private enum Model { YOUNG, DALY }

  @Option(names = "--stats", description = "Print the underlying numbers, too.")
  private boolean stats;

  @Option(names = "--model", defaultValue = "DALY", paramLabel = "young|daly", description =
      "How it is computed; daly if not given.")
  private Model model;

  @Option(names = "--percent", description = "Print the share of time for checkpoints instead, in percent.")
  private boolean percent;

  @Option(names = "--prefix", paramLabel = "DIR", description =
      "Prefix directory; the working directory if not given.")
  private Path prefix;

  @Option(names = "--logfile", paramLabel = "FILE", description =
      NO_EFFECT + "what was measured is in .scr/failures.scr of the prefix directory; give that by --prefix.")
  private Path logFile;

  IntervalFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    PrefixPaths paths = prefix(prefix);
    Optional<OfLevel> level = LevelIntervals.of(FailuresFileStore.read(paths)).shortest();
    if (stats) {
      ours(List.of("explain", "interval", "--prefix", paths.prefix().toString()));
    }
    if (level.isEmpty()) {
      out().println(NOT_MEASURED);
      return 0;
    }
    double seconds = model == Model.YOUNG ? OptimalInterval.young(level.get().cost(), 1 / level.get().rate())
        : level.get().daly();
    double share = level.get().cost() * 100 / seconds;
    if (stats) {
      out().println("Model = " + (model == Model.YOUNG ? "Young" : "Daly"));
      out().println(String.format(Locale.ROOT, "Checkpoint Interval (s) = %.3f", seconds));
      out().println(String.format(Locale.ROOT, "Percent Overhead = %.3f", share));
    } else {
      out().println(percent ? String.format(Locale.ROOT, "%.3f", share) : Long.toString((long) seconds));
    }
    return 0;
  }
}
