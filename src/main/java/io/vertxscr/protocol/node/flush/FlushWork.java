package io.vertxscr.protocol.node.flush;

import java.util.List;

/**
 * Copy, or publish, these ranks' files. Outcomes carry the attempt they belong to.
 *
 * @param background whether phases of the run go first: nobody waits for it
 */
public record FlushWork(int datasetId, int attempt, List<Integer> ranks, boolean background) {}
