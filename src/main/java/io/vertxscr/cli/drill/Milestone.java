package io.vertxscr.cli.drill;

/** Points of a recovery, in the order in which they are reached. */
enum Milestone {
  DETECTED("loss detected", "detected"),
  TOLD("all ranks have ended", "told"),
  TOGETHER("all nodes are together again", "together"),
  STARTED("ranks started again", "started"),
  RESTORED("init answered: rebuilt", "restored"),
  VERIFIED("every byte verified", "verified"),
  FIRST_STEP("first step again", "firstStep"),
  PROTECTED("next checkpoint protected", "protected"),
  /** Only where they were hidden. */
  RETURNED("hidden nodes are back", "returned"),
  /** Only where it did not. */
  ANSWERED("prefix directory answers again", "answered");

  private final String words;
  private final String field;

  Milestone(String words, String field) {
    this.words = words;
    this.field = field;
  }

  String words() {
    return words;
  }

  /** Name in JSON. */
  String field() {
    return field;
  }
}
