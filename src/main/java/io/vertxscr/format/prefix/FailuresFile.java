package io.vertxscr.format.prefix;

import io.vertxscr.format.Fields;
import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;
import io.vertxscr.model.FailureHistory.Level;
import io.vertxscr.model.FailureHistory.Tally;
import io.vertxscr.model.FailureHistory;
import java.util.EnumMap;
import java.util.Map;

/**
 * {@code <prefix>/.scr/failures.scr}: failures of the runs of this directory, and what checkpoints cost. Not a file of
 * SCR.
 * <pre>
 *   COMPUTED -> 36000000000        microseconds of runs in which failures were counted
 *   LEVEL -> PROCESS -> FAILURES -> 2
 *                       COST -> 800000     microseconds; missing before the first checkpoint of the level
 *            NODE -> ...
 *            PREFIX -> ...
 * </pre>
 */
public final class FailuresFile {
  private static final String KIND = "failures file";

  private FailuresFile() {}

  /** The whole file. */
  public static byte[] encode(FailureHistory history) {
    Hash hash = new Hash().set("COMPUTED", history.computedUs());
    for (Level level : Level.values()) {
      Tally tally = history.of(level);
      Hash entry = hash.at("LEVEL").at(level.name()).set("FAILURES", Math.max(0, tally.failures()));
      tally.costUs().ifPresent(cost -> entry.set("COST", cost));
    }
    return HashFile.encode(hash);
  }

  /** @throws io.vertxscr.model.ScrException CORRUPT */
  public static FailureHistory decode(byte[] file) {
    return Fields.read(file, KIND, fields -> {
      Map<Level, Tally> levels = new EnumMap<>(Level.class);
      Fields all = fields.child("LEVEL");
      for (Level level : Level.values()) {
        Fields entry = all.child(level.name());
        levels.put(level, new Tally(entry.number("FAILURES", 0), entry.findNumber("COST", 0)));
      }
      return new FailureHistory(fields.number("COMPUTED", 0), levels);
    });
  }
}
