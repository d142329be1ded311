package io.vertxscr.cluster.peer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Every connection of a client, busy or idle, by node. Thread-safe. */
final class ConnectionPool {
  private final int maxConnections;
  private final int maxIdlePerNode;
  private final Map<String, Set<PeerChannel>> all = new HashMap<>();
  private final Map<String, Deque<PeerChannel>> idle = new HashMap<>();
  private int connections;
  private PeerChannel.Ending closed;

  ConnectionPool(int maxConnections, int maxIdlePerNode) {
    this.maxConnections = maxConnections;
    this.maxIdlePerNode = maxIdlePerNode;
  }

  /**
   * Adds a connection before it is connected, so that {@link #abort} reaches it. At the limit an idle one has to go, so
   * that a node which has read from very many others once can still read from the next.
   *
   * @throws ScrException BUSY if all at the limit are in use, or why the pool is closed
   */
  synchronized void add(String node, PeerChannel connection) {
    if (closed != null) {
      throw new ScrException(closed.fault(), closed.message());
    }
    if (connections >= maxConnections && !dropIdle()) {
      throw new ScrException(Fault.BUSY,
          "this node has " + connections + " connections to peers in use, the most it may");
    }
    all.computeIfAbsent(node, _ -> new HashSet<>()).add(connection);
    connections++;
  }

  /** The idle connection that was used last, or null. */
  synchronized PeerChannel take(String node) {
    Deque<PeerChannel> waiting = idle.get(node);
    PeerChannel connection = waiting == null ? null : waiting.pollLast();
    while (connection != null && !connection.isOpen()) {
      drop(node, connection);
      connection = waiting.pollLast();
    }
    return connection;
  }

  /** Returns a connection to the pool after its answer was read to its end. */
  synchronized void park(String node, PeerChannel connection) {
    Deque<PeerChannel> waiting = idle.computeIfAbsent(node, _ -> new ArrayDeque<>());
    if (connection.isOpen() && closed == null && waiting.size() < maxIdlePerNode) {
      waiting.addLast(connection);
    } else {
      drop(node, connection);
    }
  }

  /** Closes a connection that must not be reused. */
  synchronized void drop(String node, PeerChannel connection) {
    connection.close();
    Set<PeerChannel> ofNode = all.get(node);
    if (ofNode != null && ofNode.remove(connection)) {
      connections--;
      if (ofNode.isEmpty()) {
        all.remove(node);
        idle.remove(node);
      }
    }
  }

  /** Aborts all connections to a node; blocked readers fail with the reason. */
  void abort(String node, PeerChannel.Ending why) {
    List<PeerChannel> ended;
    synchronized (this) {
      ended = List.copyOf(all.getOrDefault(node, Set.of()));
      Deque<PeerChannel> waiting = idle.remove(node);
      if (waiting != null) {
        waiting.forEach(connection -> drop(node, connection));
      }
    }
    ended.forEach(connection -> connection.end(why));
  }

  void close(PeerChannel.Ending why) {
    List<String> nodes;
    synchronized (this) {
      closed = why;
      nodes = List.copyOf(all.keySet());
    }
    nodes.forEach(node -> abort(node, why));
  }

  private boolean dropIdle() {
    for (Map.Entry<String, Deque<PeerChannel>> ofNode : idle.entrySet()) {
      PeerChannel oldest = ofNode.getValue().pollFirst();
      if (oldest != null) {
        drop(ofNode.getKey(), oldest);          // may remove the entry: the loop must end here
        return true;
      }
    }
    return false;
  }

  synchronized int idle() {
    return idle.values().stream().mapToInt(Deque::size).sum();
  }

  synchronized int connections() {
    return connections;
  }
}
