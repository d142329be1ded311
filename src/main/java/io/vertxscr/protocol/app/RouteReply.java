package io.vertxscr.protocol.app;

import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;

/**
 * Path at which to write or read a file ({@link Verb#ROUTE}).
 *
 * @param file within a phase an absolute path, whose directory exists; outside of one the very name that was given
 */
public record RouteReply(String file) {
  public RouteReply {
    if (file == null || file.isEmpty()) {
      throw FieldChecks.bad("file", "is missing or empty");
    }
  }
}
