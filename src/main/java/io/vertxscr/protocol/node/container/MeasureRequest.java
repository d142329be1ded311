package io.vertxscr.protocol.node.container;

import java.util.List;

/** Sums of the files of these ranks. */
public record MeasureRequest(int datasetId, int attempt, List<Integer> ranks) {}
