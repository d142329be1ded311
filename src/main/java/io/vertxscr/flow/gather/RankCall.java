package io.vertxscr.flow.gather;

import io.vertxscr.model.FileMeta;
import java.util.List;

/**
 * One rank's collective call.
 *
 * @param name what the application calls the dataset, where the call is about one; empty for none
 * @param flags START_OUTPUT: bits of the API, else 0
 * @param valid what the completing calls say; true elsewhere
 * @param files COMPLETE_OUTPUT: files that the client placed itself, as it says, not checked yet; else empty
 * @param trouble why the node has not taken these, in a sentence; empty: it has
 */
public record RankCall(int rank, Step step, String name, int flags, boolean valid, List<FileMeta> files,
    String trouble) {
  /** A call that lists no files. */
  public RankCall(int rank, Step step, String name, int flags, boolean valid) {
    this(rank, step, name, flags, valid, List.of(), "");
  }

  /** Returns the values that must be the same on all ranks, for messages. */
  String agreed() {
    return switch (step) {
      case START_OUTPUT -> step.title() + " \"" + name + "\" flags " + flags;
      case CURRENT, DROP, DELETE -> step.title() + " \"" + name + "\"";
      default -> step.title();
    };
  }
}
