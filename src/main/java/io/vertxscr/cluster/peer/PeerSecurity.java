package io.vertxscr.cluster.peer;

import io.vertxscr.cluster.tls.Credentials;
import java.util.Objects;

/**
 * How peers know each other, and what they encrypt.
 *
 * @param trusted networks on which bytes of datasets are not encrypted
 */
public record PeerSecurity(Credentials credentials, TrustedNetworks trusted) {
  public PeerSecurity {
    Objects.requireNonNull(credentials);
    Objects.requireNonNull(trusted);
  }
}
