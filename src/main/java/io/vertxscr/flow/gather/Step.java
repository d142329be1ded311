package io.vertxscr.flow.gather;

/** What all nodes of a run do together: the collective calls of the application, and what they agree on behind them. */
public enum Step {
  HAVE_RESTART("have-restart"),
  START_RESTART("start-restart"),
  COMPLETE_RESTART("complete-restart"),
  START_OUTPUT("start-output"),
  COMPLETE_OUTPUT("complete-output"),
  CURRENT("current"),
  DROP("drop"),
  DELETE("delete"),
  FINALIZE("finalize"),
  /** Every node says whether its ranks' files are protected. */
  PROTECTED("protection"),
  /** Every node says that its ranks' files in the prefix directory are whole, and waits until the dataset is listed. */
  PUBLISHED("publication"),
  /** Every node waits until the dataset is in the prefix directory. */
  FLUSHED("flush");

  private final String title;

  Step(String title) {
    this.title = title;
  }

  /** As it appears in sentences for people: the name of the call. */
  public String title() {
    return title;
  }
}
