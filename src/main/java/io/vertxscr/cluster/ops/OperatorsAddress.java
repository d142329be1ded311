package io.vertxscr.cluster.ops;

import java.util.Optional;

/**
 * Where operators find a daemon, and what they have to show.
 *
 * @param host address to listen on
 * @param port 0 for any free one
 * @param token without it there are no metrics and no reasons; empty where everybody who can connect may see them
 */
public record OperatorsAddress(String host, int port, Optional<BearerToken> token) {}
