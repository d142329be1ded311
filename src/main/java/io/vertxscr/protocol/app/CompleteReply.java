package io.vertxscr.protocol.app;

import io.vertxscr.protocol.CallReply;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;
import java.util.List;
import java.util.Optional;

/**
 * Reply to a successful {@link Verb#COMPLETE_OUTPUT} or {@link Verb#COMPLETE_RESTART}. The dataset is protected, or was
 * read by all ranks.
 *
 * @param dataset its id, from 1
 * @param halt why the run is to stop, where it is: a reason of the halt file
 * @param exit whether the process is to call finalize and end now, because of that; only if the run is configured so
 */
public record CompleteReply(int dataset, String name, Optional<String> halt, boolean exit,
    Optional<List<String>> remarks) implements CallReply {
  /** Nothing ends the run. */
  public CompleteReply(int dataset, String name) {
    this(dataset, name, Optional.empty(), false);
  }

  /** Without remarks. */
  public CompleteReply(int dataset, String name, Optional<String> halt, boolean exit) {
    this(dataset, name, halt, exit, Optional.empty());
  }

  public CompleteReply {
    FieldChecks.range("dataset", dataset, 1, Integer.MAX_VALUE);
    FieldChecks.text("name", name);
    remarks = remarks.map(List::copyOf);
  }

  @Override
  public CompleteReply with(List<String> told) {
    return new CompleteReply(dataset, name, halt, exit, Optional.of(told));
  }
}
