package io.vertxscr.protocol.node.restart;

import io.vertxscr.model.DatasetKey;

/**
 * Check what you hold of a dataset against its checksums. Repeating it does no harm.
 *
 * @param everything whether files are read that are sealed in this mount of their store, and untouched since
 */
public record VerifyDataset(DatasetKey dataset, boolean everything) {}
