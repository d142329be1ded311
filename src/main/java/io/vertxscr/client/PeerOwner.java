package io.vertxscr.client;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;

/**
 * Whether the process at the other end of a Unix socket belongs to this user. Another user's would tell the
 * application where to write its files.
 */
final class PeerOwner {
  private PeerOwner() {}

  /** As the client for C has it: this user, or root; root may call anybody's daemon. */
  static boolean isOurs(SocketChannel channel) throws IOException {
    UserPrincipal root = Files.getOwner(Path.of("/"));
    Path process = Path.of("/proc/self");
    if (!Files.exists(process) || !channel.supportedOptions().contains(ExtendedSocketOptions.SO_PEERCRED)) {
      return true;                                        // no Linux; the mode of the socket has to do
    }
    UserPrincipal self = Files.getOwner(process);
    UserPrincipal peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
    return peer.equals(self) || peer.equals(root) || self.equals(root);
  }
}
