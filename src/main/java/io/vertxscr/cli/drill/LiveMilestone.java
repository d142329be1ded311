package io.vertxscr.cli.drill;

/** Points of the recovery of a run that is not the drill's own, in their order. */
enum LiveMilestone implements RecoveryPoint {
  DETECTED("loss detected"),
  OVER("run over, ranks told"),
  RESTORED("checkpoint restored"),
  BEGUN("all ranks have joined again"),
  READ("all ranks have read it"),
  PROTECTED("next checkpoint protected"),
  VERIFIED("every byte verified");

  private final String words;

  LiveMilestone(String words) {
    this.words = words;
  }

  @Override
  public String words() {
    return words;
  }
}
