package io.vertxscr.protocol.node.flush;

import java.util.List;

/** Stored sizes of the compressed files of these ranks. */
public record CompressedSizesRequest(int datasetId, List<Integer> ranks) {}
