package io.vertxscr.protocol.node.flush;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.protocol.FieldChecks;

/**
 * To the leader: this dataset is about to overwrite a file in bypass mode. Answered when the index says durably which
 * dataset is replaced by that.
 *
 * @param place relative to the prefix
 */
public record OverwriteNotice(String prefix, DatasetDescriptor dataset, String place) {
  public OverwriteNotice {
    FieldChecks.place("prefix", prefix);
    FieldChecks.inside("place", place);
  }
}
