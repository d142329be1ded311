package io.vertxscr.protocol.app;

import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;

/**
 * Asks where to write or read a file ({@link Verb#ROUTE}, local to the rank). Asking again gives the same answer.
 *
 * @param name the file as the application calls it
 * @param directory absolute working directory of the process: where relative names start
 */
public record RouteRequest(long run, int rank, String name, String directory) {
  public RouteRequest {
    FieldChecks.run(run);
    FieldChecks.rank(rank);
    FieldChecks.text("name", name);
    FieldChecks.absolute("directory", directory);
  }
}
