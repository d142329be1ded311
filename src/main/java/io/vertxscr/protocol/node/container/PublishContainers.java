package io.vertxscr.protocol.node.container;

/** Rename the containers of a layout to their places: all nodes have copied. @param count of containers */
public record PublishContainers(int datasetId, int attempt, String prefix, String layout, int count) {}
