package io.vertxscr.cluster;

import com.hazelcast.config.TcpIpConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Addresses of members; once the cluster is joined, only of those that accept a connection.
 *
 * <p>Hazelcast asks here each time it looks for another part of a cluster that was cut. It takes one address after the
 * other, and waits 5 s for each that does not answer: with a few dead nodes the parts would find each other after
 * minutes. Here all are tried at once.
 */
final class ListeningMembers extends TcpIpConfig {
  private static final int LIMIT_MS = 500;

  private volatile Supplier<Set<String>> here;

  ListeningMembers(List<String> members) {
    setMembers(members);
  }

  /**
   * From now on daemons that do not listen are left out. Before, they may be starting.
   *
   * @param members addresses of those that need not be looked for
   */
  void joined(Supplier<Set<String>> members) {
    here = members;
  }

  @Override
  public List<String> getMembers() {
    Supplier<Set<String>> known = here;
    if (known == null) {
      return super.getMembers();
    }
    Set<String> members = known.get();
    return listening(super.getMembers().stream().filter(address -> !members.contains(address)).toList());
  }

  private static List<String> listening(List<String> addresses) {
    List<String> found = new ArrayList<>();
    List<SocketChannel> channels = new ArrayList<>();
    try (Selector selector = Selector.open()) {
      for (String address : addresses) {
        connect(selector, address, channels, found);
      }
      while (!selector.keys().isEmpty() && selector.select(LIMIT_MS) > 0) {
        for (SelectionKey key : selector.selectedKeys()) {
          if (connects((SocketChannel) key.channel())) {
            found.add((String) key.attachment());
          }
          key.cancel();
        }
        selector.selectedKeys().clear();
        selector.selectNow();                             // forgets the keys
      }
      return found;
    } catch (IOException e) {
      return addresses;                                   // no selector: the slow way
    } finally {
      channels.forEach(ListeningMembers::close);
    }
  }

  private static void connect(Selector selector, String address, List<SocketChannel> channels, List<String> found) {
    int colon = address.lastIndexOf(':');
    if (colon < 0) {
      found.add(address);                                 // of all ports that Hazelcast may think of
      return;
    }
    try {
      SocketChannel channel = SocketChannel.open();
      channels.add(channel);
      channel.configureBlocking(false);
      if (channel.connect(new InetSocketAddress(
          address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))))) {
        found.add(address);
      } else {
        channel.register(selector, SelectionKey.OP_CONNECT, address);
      }
    } catch (IOException | IllegalArgumentException e) {
      // Nobody can be there, at present.
    }
  }

  private static boolean connects(SocketChannel channel) {
    try {
      return channel.finishConnect();
    } catch (IOException e) {
      return false;
    }
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // It was only to see whether somebody listens.
    }
  }
}
