package io.vertxscr.format.prefix;

import io.vertxscr.format.Fields;
import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;
import io.vertxscr.model.Halt;

/**
 * {@code <prefix>/.scr/halt.scr}. Every key may be missing.
 * <pre>
 *   CheckpointsLeft -> 3
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
        fields.findNumber("ExitAfter", Long.MIN_VALUE),
        fields.findNumber("ExitBefore", Long.MIN_VALUE),
        fields.findNumber("HaltSeconds", Long.MIN_VALUE),
        fields.findText("ExitReason"),
        fields.has("Immediate") && fields.flag("Immediate")));
  }
}
