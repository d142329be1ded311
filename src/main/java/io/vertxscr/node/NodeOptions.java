package io.vertxscr.node;

import io.vertxscr.cluster.peer.PeerSecurity;
import io.vertxscr.cluster.peer.TrustedNetworks;
import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Names;
import io.vertxscr.storage.JobDirectory;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import java.nio.file.Path;

/**
 * What makes a node.
 *
 * @param security by which it proves itself to the other members of its cluster
 * @param peerHost address on which it serves other nodes
 * @param peerPort 0 for any free port
 * @param directReads whether files of nodes on the same host are read by path
 * @param files the machine's, shared by all nodes of a process
 */
public record NodeOptions(String name, Settings settings, PeerSecurity security, String peerHost, int peerPort,
    boolean directReads, LocalFiles files) {
  public NodeOptions {
    Names.node(name);
  }

  /** The only node of its process. */
  public NodeOptions(String name, Settings settings, Credentials credentials, String peerHost, int peerPort,
      boolean directReads) {
    this(name, settings, new PeerSecurity(credentials, TrustedNetworks.NONE), peerHost, peerPort, directReads,
        LocalFiles.ofThisMachine());
  }

  /** Its control and cache directories. */
  public NodeDirectories directories() {
    Path below = new JobDirectory(files.path(""), settings.job().user(), settings.job().id()).node(name);
    Path control = files.path(settings.cache().controlBase().toString());
    return new NodeDirectories(
        files.path(settings.cache().cacheBase().toString()), below, control.resolve(below));
  }
}
