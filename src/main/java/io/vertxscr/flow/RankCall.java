package io.vertxscr.flow;

/**
 * One rank's collective call.
 *
 * @param name START_OUTPUT: what the application calls the dataset, empty for none
 * @param flags START_OUTPUT: bits of the API, else 0
 * @param valid what the completing calls say; true elsewhere
 */
public record RankCall(int rank, Step step, String name, int flags, boolean valid) {
  /** What must be the same on all ranks, as a sentence can show it. */
  String agreed() {
    return step == Step.START_OUTPUT ? step.title() + " \"" + name + "\" flags " + flags : step.title();
  }
}
