package io.vertxscr.protocol.node.flush;

import io.vertxscr.protocol.FieldChecks;
import java.util.OptionalInt;

/**
 * Asks the leader whether this dataset is flushed. Answered with a {@link io.vertxscr.protocol.app.FlushReply}.
 *
 * @param datasetId its id, where the asking node has it
 * @param await answer when it has, or after some seconds
 */
public record FlushQuestion(String prefix, String name, OptionalInt datasetId, boolean await) {
  public FlushQuestion {
    FieldChecks.place("prefix", prefix);
    FieldChecks.text("name", name);
    datasetId.ifPresent(FieldChecks::dataset);
  }
}
