package io.vertxscr.flow.advice;

/** Queries without a barrier, whose k-th call has the same answer on all ranks. */
public enum Question {
  SHOULD_EXIT("should-exit"),
  NEED_CHECKPOINT("need-checkpoint");

  private final String title;

  Question(String title) {
    this.title = title;
  }

  /** Name of the call in messages. */
  public String title() {
    return title;
  }
}
