package io.vertxscr.model;

import java.util.Objects;

/**
 * A node's announcement of itself when it joins.
 *
 * @param name unique in the cluster
 * @param hostId equal for nodes that see the same file system of the same running kernel, so that they can read each
 *     other's files directly
 * @param peerHost address where it serves ranges of its files
 * @param key fingerprint of the key that its connections prove to have; empty where it has no connections
 */
public record NodeInfo(String name, String hostId, String peerHost, int peerPort, String key) {
  public NodeInfo {
    Names.node(name);
    Objects.requireNonNull(hostId);
    Objects.requireNonNull(peerHost);
    Objects.requireNonNull(key);
  }

  /** Announces a node without connections to other processes. */
  public NodeInfo(String name, String hostId, String peerHost, int peerPort) {
    this(name, hostId, peerHost, peerPort, "");
  }
}
