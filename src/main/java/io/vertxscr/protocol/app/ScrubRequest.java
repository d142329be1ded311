package io.vertxscr.protocol.app;

import java.util.Optional;

/**
 * Asks all nodes for their scrubs.
 *
 * @param now whether all read everything from now on; missing: no
 * @param published whether the leader reads all published datasets from now on; missing: no
 */
public record ScrubRequest(Optional<Boolean> now, Optional<Boolean> published) {}
