package io.vertxscr.protocol.app;

import io.vertxscr.protocol.Checks;
import io.vertxscr.protocol.Verb;

/**
 * A phase has begun ({@link Verb#START_OUTPUT}, {@link Verb#START_RESTART}).
 *
 * @param dataset its id, from 1
 * @param name its name
 * @param directory absolute path of the rank's directory in the cache. Information only: files are placed by
 *     {@link Verb#ROUTE}
 */
public record StartReply(int dataset, String name, String directory) {
  public StartReply {
    Checks.range("dataset", dataset, 1, Integer.MAX_VALUE);
    Checks.text("name", name);
    Checks.place("directory", directory);
  }
}
