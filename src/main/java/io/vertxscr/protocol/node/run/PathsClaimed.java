package io.vertxscr.protocol.node.run;

import io.vertxscr.flow.paths.PathClaims;
import java.util.List;

/** The answer: what ranks of other nodes have claimed before. */
public record PathsClaimed(List<PathClaims.Taken> taken) {}
