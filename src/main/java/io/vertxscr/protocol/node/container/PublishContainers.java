package io.vertxscr.protocol.node.container;

import io.vertxscr.model.PrefixToken;
import io.vertxscr.protocol.FieldChecks;

/**
 * Rename the containers of a layout to their places: all nodes have copied.
 *
 * @param count of containers
 * @param token by which names are given
 */
public record PublishContainers(
    int datasetId, int attempt, String prefix, String layout, int count, PrefixToken token) {
  public PublishContainers {
    FieldChecks.dataset(datasetId);
    FieldChecks.attempt(attempt);
    FieldChecks.place("prefix", prefix);
    FieldChecks.component("layout", layout);
    FieldChecks.range("count", count, 0, Integer.MAX_VALUE);
  }
}
