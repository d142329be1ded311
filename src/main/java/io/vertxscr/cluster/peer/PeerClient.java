package io.vertxscr.cluster.peer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.redundancy.range.RangeStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.function.Function;

/**
 * Reads ranges from the peer servers of other nodes. Thread-safe; its streams are not.
 *
 * <p>A stream has a connection for itself; connections whose answer was read to its end are used again, all others are
 * closed. Every error names the node, and what was read from it. Nothing is ever read twice: a stream that broke is the
 * caller's to repeat, because the caller knows whether the bytes that it has are still of use.
 *
 * <p>Bytes that were read count only when the stream was read to its end without an error: a server that fails in the
 * middle of a frame fills that frame with zeros before it says so.
 */
public final class PeerClient implements RangeSource, AutoCloseable {
  /** Idle connections that are kept for each node. */
  public static final int MAX_IDLE_PER_NODE = 8;

  private final PeerSecurity security;
  private final Function<String, NodeInfo> nodes;
  private final PeerTimeouts timeouts;
  private final PeerWatchdog watchdog;
  private final ConnectionPool pool = new ConnectionPool(Limits.MAX_PEER_CONNECTIONS, MAX_IDLE_PER_NODE);

  /** @param nodes where a node can be reached; null for nodes that are not members (any more) */
  public PeerClient(PeerSecurity security, Function<String, NodeInfo> nodes, PeerTimeouts timeouts) {
    this(security, nodes, timeouts, PeerWatchdog.start("scr-peer-watch-client", timeouts.tickMs()));
  }

  /** The same with a watchdog whose time is the caller's; closed with the client. */
  PeerClient(PeerSecurity security, Function<String, NodeInfo> nodes, PeerTimeouts timeouts, PeerWatchdog watchdog) {
    this.security = Objects.requireNonNull(security);
    this.nodes = Objects.requireNonNull(nodes);
    this.timeouts = Objects.requireNonNull(timeouts);
    this.watchdog = watchdog;
  }

  /**
   * {@inheritDoc}
   *
   * <p>Returns when the peer has found what is asked for.
   *
   * @throws ScrException also NOT_AUTHORIZED, BUSY (too many connections, here or there), STOPPING after
   *     {@link #close}, and the faults of the peer's catalog
   */
  @Override
  public RangeStream open(RangeRequest request) {
    while (true) {
      PeerChannel connection = pool.take(request.node());
      if (connection == null) {
        connection = connect(request.node());
      }
      boolean used = connection.isUsed();
      try {
        return start(connection, request);
      } catch (IOException e) {
        pool.drop(request.node(), connection);
        // The peer may close idle connections. Only a new connection shows that it is really lost.
        if (!used || connection.isEnded()) {
          throw connection.failure(e, "before it answered for the "
              + PeerProtocol.name(request.kind(), request.rank(), request.datasetId()));
        }
      } catch (ScrException e) {
        pool.drop(request.node(), connection);
        throw e;
      }
    }
  }

  /**
   * Aborts all connections to a lost node: its readers fail at once with NODE_LOST. Take the node out of the lookup
   * first, or a new connection may follow.
   */
  public void abort(String node) {
    pool.abort(node, new PeerChannel.Ending(Fault.NODE_LOST, "node " + node + " left the cluster"));
  }

  /** Connections, busy and idle. */
  public int connections() {
    return pool.connections();
  }

  /** Connections that wait for their next use. */
  public int idleConnections() {
    return pool.idle();
  }

  /** Closes all connections: readers fail with STOPPING. */
  @Override
  public void close() {
    pool.close(new PeerChannel.Ending(Fault.STOPPING, "this node is stopping"));
    watchdog.close();
  }

  private PeerStream start(PeerChannel connection, RangeRequest request) throws IOException {
    connection.watch().limitSilence(timeouts.silenceMs());
    int number = connection.nextRequest();
    ByteBuffer buffer = ByteBuffer.allocate(PeerProtocol.REQUEST_BYTES);
    PeerProtocol.putRequest(buffer, number, request);
    connection.writeFully(buffer.flip());
    PeerStream stream = new PeerStream(pool, connection, request, number, timeouts.silenceMs());
    stream.awaitStart();
    return stream;
  }

  private PeerChannel connect(String node) {
    PeerChannel connection = newConnection(node);
    try {
      pool.add(node, connection);
      NodeInfo info = nodes.apply(node);
      if (info == null) {
        throw new ScrException(Fault.NODE_LOST, "node " + node + " is not in the cluster");
      }
      String where = "at " + info.peerHost() + ":" + info.peerPort();
      InetSocketAddress address = new InetSocketAddress(info.peerHost(), info.peerPort());
      if (address.isUnresolved()) {
        throw new ScrException(Fault.NODE_LOST,
            "node " + node + " cannot be reached: no address for " + info.peerHost());
      }
      try {
        connection.connect(address, timeouts.connectMs());
      } catch (IOException e) {
        throw connection.failure(e, "connecting to it " + where);
      }
      try {
        connection.watch().limitTotal(timeouts.handshakeMs());
        Handshake.join(connection, security, node);
        return connection;
      } catch (IOException e) {
        throw connection.failure(e, "during the handshake " + where);
      }
    } catch (RuntimeException e) {
      pool.drop(node, connection);
      throw e;
    }
  }

  private PeerChannel newConnection(String node) {
    try {
      return new PeerChannel("node " + node, SocketChannel.open(), watchdog);
    } catch (IOException e) {
      throw new ScrException(Fault.IO, "no socket for a connection to node " + node + ": " + e.getMessage(), e);
    }
  }
}
