package io.vertxscr.protocol.node.container;

import io.vertxscr.model.PrefixToken;

/**
 * Rename the containers of a layout to their places: all nodes have copied.
 *
 * @param count of containers
 * @param token by which names are given
 */
public record PublishContainers(
    int datasetId, int attempt, String prefix, String layout, int count, PrefixToken token) {}
