package io.vertxscr.model;

import java.util.Objects;

/**
 * A node's announcement of itself when it joins.
 *
 * @param name unique in the cluster
 * @param hostId equal for nodes that see the same file system of the same running kernel, so that they can read each
 *     other's files directly
 * @param peerHost address where it serves ranges of its files
 */
public record NodeInfo(String name, String hostId, String peerHost, int peerPort) {
  public NodeInfo {
    Names.node(name);
    Objects.requireNonNull(hostId);
    Objects.requireNonNull(peerHost);
  }
}
