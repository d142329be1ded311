package io.vertxscr.cluster.tls;

import com.hazelcast.internal.networking.Channel;
import com.hazelcast.internal.server.ServerConnection;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections of Hazelcast whose other side has not proved itself yet, and those that could not. Thread-safe.
 *
 * <p>Anybody can open a connection and be silent. So only {@link #MOST} wait at a time: the next one has the oldest
 * closed, and any that has taken longer than {@link #LIMIT_MS}.
 */
final class Handshakes {
  static final int MOST = 64;
  private static final long LIMIT_MS = 10_000;
  private static final long LOG_EVERY_MS = 10_000;
  private static final long NS_PER_MS = 1_000_000;
  private static final Logger LOG = LoggerFactory.getLogger(Handshakes.class);

  private final SequencedMap<Channel, Long> begunNs = new LinkedHashMap<>();
  private Optional<String> unlike = Optional.empty();
  private long refused;
  private long loggedNs = System.nanoTime() - LOG_EVERY_MS * NS_PER_MS;

  /** A connection has been opened. */
  void begun(Channel channel) {
    channel.addCloseListener(this::established);
    tooLong(channel).forEach(connection ->                // without the lock: closing calls listeners
        connection.close("the other side has not proved in time to be a member", null));
  }

  /**
   * Connections to be closed. Not channels: a list of Hazelcast keeps a connection until it is closed itself.
   * Hazelcast makes it on another thread, after the channel: a channel that has none yet is left for the next call.
   */
  private synchronized List<ServerConnection> tooLong(Channel next) {
    long now = System.nanoTime();
    List<ServerConnection> late = new ArrayList<>();
    Iterator<Map.Entry<Channel, Long>> oldest = begunNs.entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<Channel, Long> waiting = oldest.next();
      if (begunNs.size() < MOST && now - waiting.getValue() < LIMIT_MS * NS_PER_MS) {
        break;
      }
      if (waiting.getKey().attributeMap().get(ServerConnection.class) instanceof ServerConnection connection) {
        late.add(connection);
        oldest.remove();
      }
    }
    begunNs.put(next, now);
    return late;
  }

  /** A connection does not wait any more. */
  synchronized void established(Channel channel) {
    begunNs.remove(channel);
  }

  /** A connection has failed. Returns whether its other side has not proved itself. */
  synchronized boolean failed(Channel channel, SSLException cause) {
    if (begunNs.remove(channel) == null) {
      return false;
    }
    String other = String.valueOf(channel.remoteSocketAddress());
    if (channel.isClientMode()) {
      unlike = Optional.of(other);
    }
    refused++;
    long now = System.nanoTime();
    if (now - loggedNs >= LOG_EVERY_MS * NS_PER_MS) {
      loggedNs = now;
      LOG.warn("{} connections without proof of membership refused since the start, the last one with {}: {}",
          refused, other, cause.getMessage());
    }
    return true;
  }

  /** A daemon that this one has called, and that has another secret. */
  synchronized Optional<String> unlike() {
    return unlike;
  }
}
