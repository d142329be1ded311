package io.vertxscr.cli.drill;

/** Points of the recovery of a run that is not the drill's own, in their order. */
enum LiveMilestone {
  DETECTED("loss detected", "detected"),
  OVER("run over, ranks told", "over"),
  RESTORED("checkpoint restored", "restored"),
  BEGUN("all ranks have joined again", "begun"),
  READ("all ranks have read it", "read"),
  PROTECTED("next checkpoint protected", "protected"),
  VERIFIED("every byte verified", "verified");

  private final String words;
  private final String field;

  LiveMilestone(String words, String field) {
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
