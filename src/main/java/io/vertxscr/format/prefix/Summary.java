package io.vertxscr.format.prefix;

import io.vertxscr.model.DatasetDescriptor;

/**
 * The last word on a flushed dataset: written when everything else of it is durable.
 *
 * @param complete all files of all ranks are there
 */
public record Summary(DatasetDescriptor descriptor, boolean complete) {}
