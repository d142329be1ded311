package io.vertxscr.protocol.node.scrub;

import io.vertxscr.protocol.node.restart.RankFailure;
import java.util.List;

/** The parts that could not be made again; all others are whole, durably. */
public record Mended(List<RankFailure> files, List<RankFailure> redundancy) {}
