package io.vertxscr.format.prefix;

import io.vertxscr.format.Fields;
import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;
import io.vertxscr.model.PrefixToken;

/**
 * {@code <prefix>/.scr/leader.scr}: who may change the prefix directory. Not a file of SCR.
 * <pre>
 *   EPOCH -> 7                     one more than before, at each takeover
 *   NODE -> n1                     that has taken over
 *   ID -> 00c0ffee12345678         by chance
 * </pre>
 */
public final class LeaderFile {
  private static final String KIND = "leader file";

  private LeaderFile() {}

  /** The whole file. */
  public static byte[] encode(PrefixToken token) {
    return HashFile.encode(new Hash().set("EPOCH", token.epoch()).set("NODE", token.node()).set("ID", token.id()));
  }

  /** @throws io.vertxscr.model.ScrException CORRUPT */
  public static PrefixToken decode(byte[] file) {
    return Fields.read(file, KIND, fields ->
        new PrefixToken(fields.number("EPOCH", 1), fields.text("NODE"), fields.text("ID")));
  }
}
