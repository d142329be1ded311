package io.vertxscr.protocol.node.flush;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.protocol.FieldChecks;

/**
 * Sets the flush state in the filemap.
 *
 * @param dataset another one of its id, which a node may have instead, keeps its own
 * @param state DONE: the dataset is in the prefix directory, whole and durable; WANTED: it must get there, unless it
 *     is DONE; NOT_WANTED: it was DONE, and the flushed copy is gone
 * @param discard whether this attempt has not published it, since it was there already, or later datasets have its
 *     places: its drafts go
 */
public record FlushStateChange(DatasetKey dataset, FlushState state, boolean discard) {
  public FlushStateChange {
    FieldChecks.dataset(dataset.id());
  }

  /** Nothing is discarded. */
  public FlushStateChange(DatasetKey dataset, FlushState state) {
    this(dataset, state, false);
  }
}
