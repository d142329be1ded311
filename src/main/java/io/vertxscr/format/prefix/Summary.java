package io.vertxscr.format.prefix;

import io.vertxscr.model.DatasetDescriptor;
import java.util.OptionalLong;

/**
 * The last word on a flushed dataset: written when everything else of it is durable.
 *
 * @param complete all files of all ranks are there
 * @param storedBytes what they take in the prefix directory, if they are compressed
 */
public record Summary(DatasetDescriptor descriptor, boolean complete, OptionalLong storedBytes) {
  /** Of files that are not compressed. */
  public Summary(DatasetDescriptor descriptor, boolean complete) {
    this(descriptor, complete, OptionalLong.empty());
  }
}
