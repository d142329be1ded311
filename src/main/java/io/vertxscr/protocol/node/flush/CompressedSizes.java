package io.vertxscr.protocol.node.flush;

import io.vertxscr.model.RankFiles;
import java.util.List;

/** Compressed sizes of these ranks' files, one list for each rank, in the order of the request. */
public record CompressedSizes(List<RankFiles> files, List<List<Long>> storedBytes) {}
