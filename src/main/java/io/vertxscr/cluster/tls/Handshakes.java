package io.vertxscr.cluster.tls;

import com.hazelcast.internal.networking.Channel;
import com.hazelcast.internal.server.ServerConnection;
import io.vertxscr.cluster.admission.UnprovenConnections.Handling;
import io.vertxscr.cluster.admission.UnprovenConnections;
import io.vertxscr.model.Limits;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connections of Hazelcast whose other side has not proved itself yet, and those that could not. Thread-safe. */
final class Handshakes {
  private static final long LOG_EVERY_MS = 10_000;
  private static final long NS_PER_MS = 1_000_000;
  private static final Logger LOG = LoggerFactory.getLogger(Handshakes.class);

  private final UnprovenConnections<Channel> accepted = bounded(Limits.MAX_UNPROVEN_MEMBERS,
      "connections to the cluster's port had not proved membership and were closed");
  /** As many as there are other members: it is this daemon that calls. */
  private final UnprovenConnections<Channel> called = bounded(Integer.MAX_VALUE,
      "daemons that this one has called had not proved membership in time");
  private Optional<String> unlike = Optional.empty();
  private long refused;
  private long loggedNs = System.nanoTime() - LOG_EVERY_MS * NS_PER_MS;

  private static UnprovenConnections<Channel> bounded(int most, String turnedAway) {
    return new UnprovenConnections<>(new UnprovenConnections.Bounds(most, Limits.MAX_PROOF_MS, turnedAway),
        new Handling<>() {
          @Override
          public void close(Channel channel) {
            end(channel);
          }

          @Override
          public boolean isClosable(Channel channel) {
            return channel.isClosed() || connection(channel).isPresent();
          }
        });
  }

  private UnprovenConnections<Channel> waiting(Channel channel) {
    return channel.isClientMode() ? called : accepted;
  }

  /** A connection has been opened. */
  void begun(Channel channel) {
    waiting(channel).opened(channel);
    channel.addCloseListener(this::established);
  }

  /**
   * Not the channel: a list of Hazelcast keeps a connection until it is closed itself. Hazelcast makes it on another
   * thread, after the channel.
   */
  private static void end(Channel channel) {
    connection(channel).ifPresent(
        connection -> connection.close("the other side has not proved in time to be a member", null));
  }

  private static Optional<ServerConnection> connection(Channel channel) {
    return Optional.ofNullable((ServerConnection) channel.attributeMap().get(ServerConnection.class));
  }

  /** A connection does not wait any more. */
  void established(Channel channel) {
    waiting(channel).left(channel);
  }

  /** A connection has failed. Returns whether its other side has not proved itself. */
  boolean failed(Channel channel, SSLException cause) {
    boolean unproven = waiting(channel).left(channel);
    if (unproven) {
      note(channel, cause);
    }
    return unproven;
  }

  private synchronized void note(Channel channel, SSLException cause) {
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
  }

  /** A daemon that this one has called, and that has another secret. */
  synchronized Optional<String> unlike() {
    return unlike;
  }
}
