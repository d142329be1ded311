package io.vertxscr.protocol.node.restart;

import java.util.List;

/** Asks for the layouts of these ranks on a node. */
public record LayoutRequest(int datasetId, List<Integer> ranks) {}
