package io.vertxscr.protocol.node.run;

import io.vertxscr.protocol.FieldChecks;

/**
 * Space in a store of one node.
 *
 * @param base of the store
 * @param freeBytes of its file system
 * @param wholeBytes of its file system, free or not
 * @param usedBytes by datasets of this node
 */
public record StoreSpace(String base, long freeBytes, long wholeBytes, long usedBytes) {
  public StoreSpace {
    FieldChecks.place("base", base);
    FieldChecks.bytes("freeBytes", freeBytes);
    FieldChecks.bytes("wholeBytes", wholeBytes);
    FieldChecks.bytes("usedBytes", usedBytes);
  }
}
