package io.vertxscr.protocol.node.redundancy;

import io.vertxscr.redundancy.FinishedParity;
import io.vertxscr.redundancy.RangeChecksums;
import java.util.List;

/** The answer, when the asked node has read all that it reads; in no particular order. */
public record ChecksumsReply(List<RangeChecksums> ranges, List<FinishedParity> parities) {}
