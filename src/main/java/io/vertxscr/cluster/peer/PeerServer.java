package io.vertxscr.cluster.peer;

import io.vertxscr.cluster.admission.UnprovenConnections;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves ranges of this node's files to the other nodes of the cluster.
 *
 * <p>One daemon thread a connection, and never one of the transfer engine: an answer must not wait for a transfer, or
 * nodes whose transfers wait for each other's answers would stand still.
 */
public final class PeerServer implements AutoCloseable {
  /**
   * Settings of the server.
   *
   * @param node this node's name, which clients ask for
   * @param port 0 for any that is free
   * @param maxConnections at once; more are refused with BUSY
   */
  public record ServerSettings(String node, String host, int port, PeerSecurity security, PeerTimeouts timeouts,
      int maxConnections) {
    public ServerSettings {
      Names.node(node);
      Objects.requireNonNull(host);
      Objects.requireNonNull(security);
      Objects.requireNonNull(timeouts);
      if (maxConnections < 1 || maxConnections > Limits.MAX_PEER_CONNECTIONS) {
        throw new ScrException(Fault.BAD_CONFIGURATION, maxConnections + " peer connections: 1 to "
            + Limits.MAX_PEER_CONNECTIONS + " are possible");
      }
    }

    /** With the limits of the system. */
    public ServerSettings(String node, String host, int port, PeerSecurity security) {
      this(node, host, port, security, PeerTimeouts.DEFAULT, Limits.MAX_PEER_CONNECTIONS);
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(PeerServer.class);
  private static final int BACKLOG = 128;
  private static final int ACCEPT_RETRY_MS = 100;

  private final ServerSettings settings;
  private final RangeCatalog catalog;
  private final ServerSocketChannel listener;
  private final PeerWatchdog watchdog;
  private final Set<PeerChannel> connections = ConcurrentHashMap.newKeySet();
  /** Those of the connections whose client has not proved itself. */
  private final UnprovenConnections<PeerChannel> unproven;
  private final AtomicInteger threads = new AtomicInteger();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Listens from now on. @throws ScrException IO if the address cannot be had */
  public PeerServer(ServerSettings settings, RangeCatalog catalog) {
    this(settings, catalog,
        PeerWatchdog.start("scr-peer-watch-" + settings.node(), settings.timeouts().tickMs()));
  }

  /** The same with a watchdog whose time is the caller's; closed with the server. */
  PeerServer(ServerSettings settings, RangeCatalog catalog, PeerWatchdog watchdog) {
    this.settings = settings;
    this.catalog = Objects.requireNonNull(catalog);
    this.watchdog = watchdog;
    this.unproven = new UnprovenConnections<>(new UnprovenConnections.Bounds(Limits.MAX_UNPROVEN_PEERS,
        settings.timeouts().handshakeMs(), "connections to the peer port had not proved membership and were closed"),
        this::turnAway);
    this.listener = listen(settings, watchdog);
    Thread.ofPlatform().daemon().name("scr-peer-accept-" + settings.node()).start(this::acceptAll);
  }

  /** The port that it listens on. */
  public int port() {
    return listener.socket().getLocalPort();
  }

  /** Connections that are being served. */
  public int connections() {
    return connections.size();
  }

  /** Stops listening and ends every connection, also in the middle of an answer. Does not wait for their threads. */
  @Override
  public void close() {
    closed.countDown();
    try {
      listener.close();
    } catch (IOException e) {
      LOG.warn("the peer port of {} does not close", settings.node(), e);
    }
    connections.forEach(PeerChannel::close);
    watchdog.close();
  }

  private static ServerSocketChannel listen(ServerSettings settings, PeerWatchdog watchdog) {
    try {
      ServerSocketChannel listener = ServerSocketChannel.open();
      try {
        return listener.bind(new InetSocketAddress(settings.host(), settings.port()), BACKLOG);
      } catch (IOException | RuntimeException e) {
        listener.close();
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      watchdog.close();
      throw new ScrException(Fault.IO, "node " + settings.node() + " cannot serve peers at " + settings.host() + ":"
          + settings.port() + ": " + e.getMessage(), e);
    }
  }

  private void acceptAll() {
    while (listener.isOpen()) {
      try {
        accept(listener.accept());
      } catch (IOException e) {
        if (listener.isOpen()) {                // out of file descriptors, or the like: it passes
          LOG.warn("node {} cannot take a peer's connection", settings.node(), e);
          pause();
        }
      }
    }
  }

  private void accept(SocketChannel socket) throws IOException {
    PeerChannel peer = new PeerChannel("peer " + socket.getRemoteAddress(), socket, watchdog);
    if (connections.size() >= settings.maxConnections()) {
      unproven.makeRoom();
    }
    if (connections.size() >= settings.maxConnections()) {
      try (peer) {
        Handshake.refuse(peer, Fault.BUSY);     // fits in the empty socket buffer: does not block
      }
      return;
    }
    connections.add(peer);
    unproven.opened(peer);
    try {
      Thread.ofPlatform().daemon().name("scr-peer-serve-" + settings.node() + "-" + threads.incrementAndGet())
          .start(() -> serve(peer));
    } catch (OutOfMemoryError e) {              // how the JVM says that there is no thread to be had
      leave(peer);
      peer.close();
      LOG.error("node {} has no thread for {}", settings.node(), peer.peer(), e);
    }
    if (closed.getCount() == 0) {
      peer.close();                             // close() may have passed just before it was added
    }
  }

  private void serve(PeerChannel peer) {
    try (peer) {
      peer.withoutDelay();
      if (Handshake.serve(peer, settings.security(), settings.node())) {
        unproven.left(peer);
        new Serving(settings, catalog, peer).serveAll();
      } else {
        LOG.warn("node {} refused {}: it looks for another node", settings.node(), peer.peer());
      }
    } catch (SSLException e) {
      LOG.warn("node {} refused {}: {}", settings.node(), peer.peer(), e.getMessage());
    } catch (IOException e) {
      LOG.debug("{} left: {}", peer.peer(), e.toString());    // clients hang up when they have what they want
    } finally {
      leave(peer);
    }
  }

  private void turnAway(PeerChannel peer) {
    connections.remove(peer);                   // its thread does so later: the next one has its place
    peer.close();
  }

  private void leave(PeerChannel peer) {
    unproven.left(peer);
    connections.remove(peer);
  }

  private void pause() {
    try {
      closed.await(ACCEPT_RETRY_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
