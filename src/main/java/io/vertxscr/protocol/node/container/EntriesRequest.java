package io.vertxscr.protocol.node.container;

import java.util.List;

/** Entries of these ranks for a map of containers. */
public record EntriesRequest(int datasetId, List<Integer> ranks) {}
