package io.vertxscr.format.prefix;

import io.vertxscr.format.Fields;
import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;
import io.vertxscr.model.Halt;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * {@code <prefix>/.scr/halt.scr}. Every key may be missing.
 * <pre>
 *   CheckpointsLeft -> 3
 *   CountedRun -> 1795170000000000 ours: run and id of the last checkpoint that was counted down
 *   CountedDataset -> 7
 *   ExitAfter -> 1795176000        seconds since 1970
 *   ExitBefore -> 1795179600       seconds since 1970
 *   HaltSeconds -> 1200
 *   ExitReason -> JOB_HALTED
 *   Immediate -> 1                 ours: others do not know it, and stop at their next checkpoint
 * </pre>
 */
public final class HaltFile {
  private static final String KIND = "halt file";

  private HaltFile() {}

  /** The whole file. */
  public static byte[] encode(Halt halt) {
    Hash hash = new Hash();
    halt.checkpointsLeft().ifPresent(count -> hash.set("CheckpointsLeft", count));
    halt.counted().ifPresent(last -> {
      hash.set("CountedRun", last.run());
      hash.set("CountedDataset", last.dataset());
    });
    halt.exitAfterSeconds().ifPresent(seconds -> hash.set("ExitAfter", seconds));
    halt.exitBeforeSeconds().ifPresent(seconds -> hash.set("ExitBefore", seconds));
    halt.haltSeconds().ifPresent(seconds -> hash.set("HaltSeconds", seconds));
    halt.reason().ifPresent(reason -> hash.set("ExitReason", reason));
    if (halt.immediate()) {
      hash.set("Immediate", 1);
    }
    return HashFile.encode(hash);
  }

  /** @throws io.vertxscr.model.ScrException CORRUPT */
  public static Halt decode(byte[] file) {
    return Fields.read(file, KIND, fields -> new Halt(
        fields.findInteger("CheckpointsLeft", Integer.MIN_VALUE),
        counted(fields),
        fields.findNumber("ExitAfter", Long.MIN_VALUE),
        fields.findNumber("ExitBefore", Long.MIN_VALUE),
        fields.findNumber("HaltSeconds", Long.MIN_VALUE),
        fields.findText("ExitReason"),
        fields.has("Immediate") && fields.flag("Immediate")));
  }

  private static Optional<Halt.Counted> counted(Fields fields) {
    OptionalLong run = fields.findNumber("CountedRun", 0);
    OptionalInt dataset = fields.findInteger("CountedDataset", 0);
    return run.isPresent() && dataset.isPresent()
        ? Optional.of(new Halt.Counted(run.getAsLong(), dataset.getAsInt())) : Optional.empty();
  }
}
