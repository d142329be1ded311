package io.vertxscr.flow.gather;

/** Collective steps of all nodes of a run: calls of the application, and their internal agreements. */
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
  /** Every node confirms its ranks' files in the prefix directory, and waits for the dataset's listing. */
  PUBLISHED("publication"),
  /** Every node waits until the dataset is in the prefix directory. */
  FLUSHED("flush");

  private final String title;

  Step(String title) {
    this.title = title;
  }

  /** Name of the call in messages. */
  public String title() {
    return title;
  }
}
