package io.vertxscr.cluster.ops;

import java.util.Optional;

/**
 * Where operators find a daemon, and what they have to show.
 *
 * @param host address to listen on
 * @param port 0 for any free one
 * @param token without it there are no metrics, no reasons and no dashboard; empty where everybody who can connect may
 *     see them
 * @param actionToken with it one may see all that, and act; empty where nobody may act
 */
public record OperatorsAddress(
    String host, int port, Optional<BearerToken> token, Optional<BearerToken> actionToken) {
  /** Where nobody may act. */
  public OperatorsAddress(String host, int port, Optional<BearerToken> token) {
    this(host, port, token, Optional.empty());
  }
}
