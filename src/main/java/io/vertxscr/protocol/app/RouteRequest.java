package io.vertxscr.protocol.app;

import io.vertxscr.protocol.Checks;
import io.vertxscr.protocol.Verb;

/**
 * Asks where to write or read a file ({@link Verb#ROUTE}, local to the rank). Asking again gives the same answer.
 *
 * @param name the file as the application calls it
 * @param directory absolute working directory of the process: where relative names start
 */
public record RouteRequest(long run, int rank, String name, String directory) {
  public RouteRequest {
    Checks.run(run);
    Checks.rank(rank);
    Checks.text("name", name);
    Checks.absolute("directory", directory);
  }
}
