package io.vertxscr.protocol.node.container;

import io.vertxscr.model.RankFiles;
import java.util.List;

/**
 * One of each for every rank, in the order asked for.
 *
 * @param offsets where the rank's files begin in the dataset's stream
 */
public record EntriesReply(List<RankFiles> files, List<Long> offsets, long containerBytes, long alignBytes) {}
