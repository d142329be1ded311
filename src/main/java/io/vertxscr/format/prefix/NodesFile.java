package io.vertxscr.format.prefix;

import io.vertxscr.format.Fields;
import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;

/**
 * {@code <prefix>/.scr/nodes.scr}: on how many nodes the last run was.
 * <pre>
 *   NODES -> 4
 * </pre>
 */
public final class NodesFile {
  private static final String KIND = "nodes file";

  private NodesFile() {}

  /** The whole file. */
  public static byte[] encode(int nodes) {
    return HashFile.encode(new Hash().set("NODES", nodes));
  }

  /** @return at least 0. @throws io.vertxscr.model.ScrException CORRUPT */
  public static int decode(byte[] file) {
    return Fields.read(file, KIND, fields -> fields.integer("NODES", 0));
  }
}
