package io.vertxscr.verticle;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertxscr.cluster.bridge.ApplicationBridge;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * Lets the applications of this node in, through a Unix socket and, if wanted, TCP. See {@link ApplicationBridge}. One
 * instance a node.
 */
public final class BridgeVerticle extends VerticleBase {
  private final String node;
  private final Path socket;
  private final OptionalInt tcpPort;
  private final Consumer<String> closedListener;
  private ApplicationBridge bridge;

  /**
   * @param socket where to listen; its directory exists
   * @param tcpPort of the loopback address, beside the socket, 0 for any; empty for none
   * @param closedListener is told, on this verticle's event loop, the client id of every connection that ended
   */
  public BridgeVerticle(String node, Path socket, OptionalInt tcpPort, Consumer<String> closedListener) {
    this.node = node;
    this.socket = socket;
    this.tcpPort = tcpPort;
    this.closedListener = closedListener;
  }

  /** The same without TCP. */
  public BridgeVerticle(String node, Path socket, Consumer<String> closedListener) {
    this(node, socket, OptionalInt.empty(), closedListener);
  }

  @Override
  public Future<?> start() {
    bridge = new ApplicationBridge(vertx, node, socket, tcpPort, closedListener);
    return bridge.open();
  }

  @Override
  public Future<?> stop() {
    return bridge.close();
  }
}
