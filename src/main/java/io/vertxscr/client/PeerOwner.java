package io.vertxscr.client;

import io.vertxscr.model.LocalUsers;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystems;
import jdk.net.ExtendedSocketOptions;

/**
 * Whether the process at the other end of a Unix socket belongs to this user. Another user's would tell the
 * application where to write its files.
 */
final class PeerOwner {
  private PeerOwner() {}

  /** As the client for C has it: this user, or root; root may call anybody's daemon. */
  static boolean isOurs(SocketChannel channel) throws IOException {
    if (!channel.supportedOptions().contains(ExtendedSocketOptions.SO_PEERCRED)) {
      return true;                                        // no Linux; the mode of the socket has to do
    }
    LocalUsers users = LocalUsers.of(FileSystems.getDefault());
    return users.isTrusted(channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user())
        || users.self().equals(users.root());
  }
}
