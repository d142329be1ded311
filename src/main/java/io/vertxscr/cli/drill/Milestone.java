package io.vertxscr.cli.drill;

/** Points of a recovery, in the order in which they are reached. */
enum Milestone implements RecoveryPoint {
  DETECTED("loss detected"),
  TOLD("all ranks have ended"),
  TOGETHER("all nodes are together again"),
  STARTED("ranks started again"),
  RESTORED("init answered: rebuilt"),
  VERIFIED("every byte verified"),
  FIRST_STEP("first step again"),
  PROTECTED("next checkpoint protected"),
  /** Only where they were hidden. */
  RETURNED("hidden nodes are back"),
  /** Only where it did not. */
  ANSWERED("prefix directory answers again");

  private final String words;

  Milestone(String words) {
    this.words = words;
  }

  @Override
  public String words() {
    return words;
  }
}
