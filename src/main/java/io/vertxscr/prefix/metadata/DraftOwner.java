package io.vertxscr.prefix.metadata;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Names;

/**
 * Who writes the drafts of a dataset: one node. Its name is in the name of each draft, with id and creation time of the
 * dataset, so no draft has two writers, not even on a leader's command; what a node has begun it may always resume.
 *
 * @param node name of the node, or of what else copies
 */
public record DraftOwner(DatasetKey dataset, String node) {
  private static final int NODE_CHARS = 16;
  /** Longest {@link #suffix}: an id, a creation time, a node, a dot after each of the first two. */
  static final int MAX_BYTES = 10 + 1 + 16 + 1 + NODE_CHARS;

  /** Ends the names of its drafts. */
  String suffix() {
    return dataset(dataset) + "." + Names.digest(node).substring(0, NODE_CHARS);
  }

  static String dataset(DatasetKey dataset) {
    return dataset.id() + "." + Long.toHexString(dataset.createdUs());
  }
}
