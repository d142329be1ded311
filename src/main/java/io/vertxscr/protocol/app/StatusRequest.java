package io.vertxscr.protocol.app;

import java.util.Optional;

/**
 * Asks for the status of a node.
 *
 * @param gaps whether all nodes are asked, too, for what only nodes that are gone had; missing: no
 * @param caches whether all nodes are asked, too, for what their caches hold; missing: no
 */
public record StatusRequest(Optional<Boolean> gaps, Optional<Boolean> caches) {}
