package io.vertxscr.flow.advice;

/** What a rank may ask without waiting for the others, and is answered as they are: its k-th call as their k-th. */
public enum Question {
  SHOULD_EXIT("should-exit"),
  NEED_CHECKPOINT("need-checkpoint");

  private final String title;

  Question(String title) {
    this.title = title;
  }

  /** As it appears in sentences for people: the name of the call. */
  public String title() {
    return title;
  }
}
