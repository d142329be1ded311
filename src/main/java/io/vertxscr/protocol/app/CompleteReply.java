package io.vertxscr.protocol.app;

import io.vertxscr.protocol.Checks;
import io.vertxscr.protocol.Verb;

/**
 * A phase has ended well ({@link Verb#COMPLETE_OUTPUT}, {@link Verb#COMPLETE_RESTART}): the dataset is protected, or
 * was read by all ranks.
 *
 * @param dataset its id, from 1
 */
public record CompleteReply(int dataset, String name) {
  public CompleteReply {
    Checks.range("dataset", dataset, 1, Integer.MAX_VALUE);
    Checks.text("name", name);
  }
}
