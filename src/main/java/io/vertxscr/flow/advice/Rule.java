package io.vertxscr.flow.advice;

/**
 * Rule for the answers to calls.
 *
 * @param every yes to each call whose number this divides; 0 for no to all, 1 for yes to all
 * @param why of the yes; empty for no to all
 */
public record Rule(long every, String why) {
  /** No to all. */
  public static final Rule NO = new Rule(0, "");

  /** Yes to all. */
  public static Rule yes(String why) {
    return new Rule(1, why);
  }

  /** The answer to the call of this number, from 1. */
  public boolean yesTo(long call) {
    return every > 0 && call % every == 0;
  }
}
