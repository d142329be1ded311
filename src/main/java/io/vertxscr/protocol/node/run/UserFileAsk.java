package io.vertxscr.protocol.node.run;

import io.vertxscr.protocol.FieldChecks;

/** Asks what was in a user's configuration file. @param place its absolute path */
public record UserFileAsk(String place) {
  public UserFileAsk {
    FieldChecks.place("place", place);
  }
}
