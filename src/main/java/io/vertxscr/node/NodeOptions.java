package io.vertxscr.node;

import io.vertxscr.cluster.peer.ClusterSecret;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Names;
import io.vertxscr.storage.NodeDirectories;
import java.nio.file.Path;

/**
 * What makes a node.
 *
 * @param peerHost address on which it serves other nodes
 * @param peerPort 0 for any free port
 * @param directReads whether files of nodes on the same host are read by path
 */
public record NodeOptions(String name, Settings settings, ClusterSecret secret, String peerHost, int peerPort,
    boolean directReads) {
  public NodeOptions {
    Names.node(name);
  }

  /** Its control and cache directories. */
  public NodeDirectories directories() {
    Path below = Path.of(settings.job().user(), "scr." + settings.job().id(), name);
    return new NodeDirectories(settings.cache().cacheBase(), below, settings.cache().controlBase().resolve(below));
  }
}
