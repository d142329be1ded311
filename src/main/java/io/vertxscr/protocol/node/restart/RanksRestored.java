package io.vertxscr.protocol.node.restart;

import java.util.List;

/** Ranks that could not be brought; empty when all are here, durably. */
public record RanksRestored(List<RankFailure> failed) {}
