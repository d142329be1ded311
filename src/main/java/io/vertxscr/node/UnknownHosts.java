package io.vertxscr.node;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Hosts of members that have no address here. Asked where none has answered; blocking. */
final class UnknownHosts {
  /** Each may take seconds. */
  private static final int MOST_ASKED = 8;

  private UnknownHosts() {}

  /** @param members {@code host:port} */
  static List<String> of(List<String> members) {
    return members.stream().map(member -> member.replaceFirst(":[0-9]+$", "")).distinct().limit(MOST_ASKED)
        .filter(UnknownHosts::isUnknown).toList();
  }

  private static boolean isUnknown(String host) {
    try {
      return InetAddress.getByName(host) == null;
    } catch (UnknownHostException _) {
      return true;
    }
  }
}
