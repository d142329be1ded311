package io.vertxscr.cli.scr;

import io.vertxscr.model.Halt;
import io.vertxscr.model.HaltChange.HaltCondition;
import io.vertxscr.model.HaltChange;
import io.vertxscr.prefix.metadata.HaltFileStore;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code scr_halt_cntl}, which SCR's own scripts call. */
@Command(sortOptions = false, exitCodeOnInvalidInput = Front.FAILED, description =
    "Change the conditions in a halt file, and print them. Times in seconds since 1970.")
final class HaltControlFront extends Front {

  @Option(names = "-f", required = true, paramLabel = "FILE", description = "The halt file, <prefix>/.scr/halt.scr.")
  private Path file;

  @Option(names = "-l", description = "Print the conditions, and change nothing.")
  private boolean list;

  @Option(names = "-c", paramLabel = "N", description = "Checkpoints left.")
  private Integer checkpoints;

  @Option(names = "-b", paramLabel = "SECONDS", description = "Exit before this time.")
  private Long before;

  @Option(names = "-a", paramLabel = "SECONDS", description = "Exit after this time.")
  private Long after;

  @Option(names = "-s", paramLabel = "N", description = "Seconds that are to be left of the allocation.")
  private Long seconds;

  @Option(names = "-r", paramLabel = "REASON", description = "No run begins or goes on, for this reason.")
  private String reason;

  @Option(names = "-xc", description = "Take back -c.")
  private boolean unsetCheckpoints;

  @Option(names = "-xb", description = "Take back -b.")
  private boolean unsetBefore;

  @Option(names = "-xa", description = "Take back -a.")
  private boolean unsetAfter;

  @Option(names = "-xs", description = "Take back -s.")
  private boolean unsetSeconds;

  @Option(names = "-xr", description = "Take back -r.")
  private boolean unsetReason;

  HaltControlFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    Path absolute = file.toAbsolutePath().normalize();
    if (absolute.getNameCount() < 3 || !absolute.endsWith(Path.of(".scr", "halt.scr"))) {
      throw wrong("-f " + file + ": a halt file is <prefix>/.scr/halt.scr");
    }
    if (checkpoints != null && checkpoints < 0 || seconds != null && seconds < 0) {
      throw wrong("-c and -s must be 0 or more");
    }
    PrefixPaths paths = prefix(absolute.getParent().getParent());
    HaltFileStore store = new HaltFileStore(paths, PatientLocks.user(name()));
    Halt halt = list ? store.read() : store.update(change()::applied);
    HaltForm.lines(file, halt, ZoneId.systemDefault()).forEach(out()::println);
    return 0;
  }

  private HaltChange change() {
    return new HaltChange.Collector()
        .with(HaltCondition.CHECKPOINTS_LEFT,
            checkpoints == null ? OptionalLong.empty() : OptionalLong.of(checkpoints), unsetCheckpoints)
        .with(HaltCondition.EXIT_BEFORE, optional(before), unsetBefore)
        .with(HaltCondition.EXIT_AFTER, optional(after), unsetAfter)
        .with(HaltCondition.HALT_SECONDS, optional(seconds), unsetSeconds)
        .change(Optional.ofNullable(reason), unsetReason, false);
  }

  private static OptionalLong optional(Long value) {
    return value == null ? OptionalLong.empty() : OptionalLong.of(value);
  }
}
