package io.vertxscr.cluster.bridge;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import io.vertxscr.cluster.accept.GuardedTransport;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.Frames;
import io.vertxscr.protocol.Verb;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * Socket of a node for applications that are not cluster members. A Unix socket (mode 0600) with the frames of the
 * Vert.x TCP event-bus bridge ({@link Frames}); it admits the calls of {@link Verb} to its own node only. If wanted, a
 * port of the loopback address too, for those who show the token in their first frame ({@link TokenFile}): anybody on
 * this host can connect there.
 *
 * <p>Calls carry the identity of their connection in {@link Addresses#CLIENT_HEADER}, overriding the sender's value;
 * other headers of the sender are dropped. A call waits for its answer as long as it takes, because the node owns all
 * waits and always answers. What the sender may do wrong within a frame is answered; bytes that are no frame are
 * answered once, and the connection is closed.
 *
 * <p>To be used on one event loop, where the listener is called too: once for each connection that ended, also for one
 * that never sent a call, but not for those that {@link #close} ends, or that did not show the token.
 */
public final class ApplicationBridge {
  private static final String LOOPBACK = "127.0.0.1";
  /** Part of the heap for unfinished frames: a buffer grows by doubling, and is copied once. */
  private static final int HEAP_SHARE = 8;
  /** Part of the heap for calls that wait: as objects they take several times the bytes of their text. */
  private static final int WAITING_SHARE = 16;
  /**
   * Heap that there must be for a listed file. While all ranks complete their dataset it takes some 2.5 KiB; as much is
   * left for the datasets before it, and for copies.
   */
  private static final long FILE_BYTES = 5 << 10;
  private static final long SMALL_FRAMES_BYTES = 8 << 20;

  private final Vertx vertx;
  private final String node;
  private final SocketFile file;
  private final OptionalInt tcpPort;
  private final TokenFile token;
  private final Consumer<String> closedListener;
  private final FrameBudget.Shares budgets;
  private final OpenCalls calls;
  private final Map<String, Connection> connections = new HashMap<>();
  private NetServer server;
  private NetServer tcpServer;
  private boolean closing;
  private long lastConnection;

  /**
   * @param socket at most {@link Limits#MAX_SOCKET_PATH_BYTES} long; its directory exists
   * @param tcpPort where to listen on the loopback address too, 0 for any free port; empty for nowhere
   * @param closedListener is told the client id of every connection that ended
   */
  public ApplicationBridge(Vertx vertx, String node, Path socket, OptionalInt tcpPort,
      Consumer<String> closedListener) {
    this.vertx = vertx;
    this.node = Names.node(node);
    this.file = new SocketFile(socket);
    this.tcpPort = tcpPort;
    this.token = new TokenFile(socket);
    this.budgets = new FrameBudget.Shares(new FrameBudget(vertx, SMALL_FRAMES_BYTES), new FrameBudget(vertx, Math.clamp(
        Runtime.getRuntime().maxMemory() / HEAP_SHARE, Limits.MAX_MESSAGE_BYTES, Limits.MAX_UNFINISHED_BYTES)));
    long heap = Runtime.getRuntime().maxMemory();
    this.calls = new OpenCalls(Math.max(heap / WAITING_SHARE, Limits.MAX_MESSAGE_BYTES), heap / FILE_BYTES);
    this.closedListener = Objects.requireNonNull(closedListener);
  }

  /**
   * Starts to listen and accept connections.
   *
   * @return fails with {@link Fault#DUPLICATE_NODE} if another daemon listens there, {@link Fault#BAD_CONFIGURATION} if
   *     something else is there, {@link Fault#IO}
   */
  public Future<Void> open() {
    server = vertx.createNetServer().connectHandler(this::accept);
    return vertx.executeBlocking(() -> run(file::claim), false)
        .compose(_ -> server.listen(SocketAddress.domainSocketAddress(file.draft().toString())))
        .compose(_ -> vertx.executeBlocking(() -> run(file::publish), false))
        .compose(_ -> tcpPort.isPresent() ? openTcp(tcpPort.getAsInt()) : Future.succeededFuture());
  }

  private Future<Void> openTcp(int port) {
    tcpServer = vertx.createNetServer().connectHandler(this::acceptStranger);
    return tcpServer.listen(SocketAddress.inetSocketAddress(port, LOOPBACK))
        .compose(server -> vertx.executeBlocking(() -> run(() -> token.publish(LOOPBACK, server.actualPort())), false));
  }

  /**
   * Closes all connections and removes the socket. Calls under way go unanswered: their senders see the end of file.
   */
  public Future<Void> close() {
    closing = true;
    Future<Void> tcp = tcpServer == null ? Future.succeededFuture()
        : tcpServer.close().eventually(() -> vertx.executeBlocking(() -> run(token::remove), false));
    return tcp.eventually(server::close).eventually(() -> vertx.executeBlocking(() -> run(file::remove), false));
  }

  private void accept(NetSocket socket) {
    if (isFull()) {
      socket.end(Buffer.buffer(Frames.encode(Frames.error(null, full()))));
      return;
    }
    String clientId = "bridge:" + ++lastConnection;
    Connection connection = new Connection(socket, vertx, node, clientId, budgets, calls, Optional.empty(), () -> { });
    connections.put(clientId, connection);
    socket.closeHandler(_ -> closed(clientId, connection));
  }

  /**
   * Anybody on this host can connect there. Until the token is shown a connection counts among few, for a short time,
   * see {@link GuardedTransport}: who has the token shows it at once.
   */
  private void acceptStranger(NetSocket socket) {
    String clientId = "bridge:" + ++lastConnection;
    Connection[] connection = {null};
    connection[0] = new Connection(socket, vertx, node, clientId, budgets, calls, Optional.of(token), () -> {
      GuardedTransport.proved(socket);
      if (isFull()) {
        connection[0].refuse(full());
      } else {
        connections.put(clientId, connection[0]);
      }
    });
    socket.closeHandler(_ -> closed(clientId, connection[0]));
  }

  private void closed(String clientId, Connection connection) {
    connection.closed();
    if (connections.remove(clientId) != null && !closing) {
      closedListener.accept(clientId);
    }
  }

  private boolean isFull() {
    return connections.size() >= Limits.MAX_APPLICATION_CONNECTIONS;
  }

  private ScrException full() {
    return new ScrException(Fault.BUSY,
        "node " + node + " serves " + connections.size() + " applications already, and takes no more");
  }

  private static Void run(Runnable work) {
    work.run();
    return null;
  }
}
