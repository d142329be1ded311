package io.vertxscr.cluster.tls;

import com.hazelcast.cluster.Address;
import com.hazelcast.internal.cluster.Joiner;
import com.hazelcast.internal.networking.Channel;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/** TLS of one connection of Hazelcast: what its inbound and its outbound handler share. */
final class TlsLink {
  private final SSLEngine engine;
  private final Channel channel;
  private final Handshakes handshakes;
  private final Joiner joiner;

  TlsLink(SSLEngine engine, Channel channel, Handshakes handshakes, Joiner joiner) {
    this.engine = engine;
    this.channel = channel;
    this.handshakes = handshakes;
    this.joiner = joiner;
  }

  SSLEngine engine() {
    return engine;
  }

  /** Runs the computations of a handshake. A thread that finds them under way waits for them. */
  synchronized void runTasks() {
    for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
      task.run();
    }
  }

  /** The other side has proved itself. */
  void established() {
    handshakes.established(channel);
  }

  /** The connection ends with this. A node of another cluster is not asked again by one that is joining. */
  void failed(SSLException cause) {
    if (handshakes.failed(channel, cause) && channel.isClientMode()
        && channel.remoteSocketAddress() instanceof InetSocketAddress other) {
      joiner.blacklist(new Address(other), true);
    }
  }
}
