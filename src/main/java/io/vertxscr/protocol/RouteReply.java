package io.vertxscr.protocol;

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
