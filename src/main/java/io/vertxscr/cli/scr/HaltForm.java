package io.vertxscr.cli.scr;

import io.vertxscr.model.Halt;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The conditions of a halt file in the form of SCR's {@code scr_halt_cntl}. */
public final class HaltForm {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss uuuu", Locale.ENGLISH);

  private HaltForm() {}

  public static List<String> lines(Path file, Halt halt, ZoneId zone) {
    List<String> lines = new ArrayList<>();
    halt.reason().ifPresent(reason -> lines.add("  ExitReason:      " + reason));
    halt.checkpointsLeft().ifPresent(left -> lines.add("  CheckpointsLeft: " + left));
    halt.exitAfterSeconds().ifPresent(time -> lines.add("  ExitAfter:       " + show(time, zone)));
    halt.exitBeforeSeconds().ifPresent(time -> lines.add("  ExitBefore:      " + show(time, zone)));
    halt.haltSeconds().ifPresent(seconds -> lines.add("  HaltSeconds:     " + seconds));
    if (halt.haltSeconds().isPresent() && halt.exitBeforeSeconds().isPresent()) {
      lines.add("  ExitBefore - HaltSeconds: "
          + show(halt.exitBeforeSeconds().getAsLong() - halt.haltSeconds().getAsLong(), zone));
    }
    if (lines.isEmpty()) {
      lines.add("  None");
    }
    lines.addFirst("Halt file settings for " + file + ":");
    return lines;
  }

  private static String show(long seconds, ZoneId zone) {
    return TIME.format(Instant.ofEpochSecond(seconds).atZone(zone));
  }
}
