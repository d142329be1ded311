package io.vertxscr.protocol.node.run;

import io.vertxscr.protocol.FieldChecks;

/** One of them. @param mkdir whether its base is made if it is not there */
public record StoreToCheck(String base, boolean mkdir) {
  public StoreToCheck {
    FieldChecks.place("base", base);
  }
}
