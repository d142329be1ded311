package io.vertxscr.protocol.app;

import io.vertxscr.protocol.Checks;
import io.vertxscr.protocol.Verb;

/**
 * Where to write or read a file ({@link Verb#ROUTE}).
 *
 * @param file absolute path; its directory exists
 */
public record RouteReply(String file) {
  public RouteReply {
    Checks.place("file", file);
  }
}
