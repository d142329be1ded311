package io.vertxscr.protocol;

/**
 * A phase has ended well ({@link Verb#COMPLETE_OUTPUT}, {@link Verb#COMPLETE_RESTART}): the dataset is protected, or was
 * read by all ranks.
 *
 * @param dataset its id, from 1
 */
public record CompleteReply(int dataset, String name) {
  public CompleteReply {
    Checks.range("dataset", dataset, 1, Integer.MAX_VALUE);
    Checks.text("name", name);
  }
}
