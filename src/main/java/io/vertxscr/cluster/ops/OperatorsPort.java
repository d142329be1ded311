package io.vertxscr.cluster.ops;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertxscr.cluster.BriefConnections;
import io.vertxscr.model.Limits;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * HTTP for those who operate the machine. {@code /metrics} is for Prometheus, {@code /health/live} answers while the
 * event loop turns, {@code /health/ready} says 200, or 503 with the reason why this node cannot serve a phase.
 *
 * <p>Where a token is asked for, metrics and the reason are for those who show it; that a node lives or is ready, which
 * an orchestrator asks, is told to everybody.
 *
 * <p>Anybody may be able to connect. So a connection is for one request, and has {@link #LIMIT_MS} for all of it; there
 * are few at a time, and the oldest makes room for the next. One page of metrics serves all who ask within a second.
 * HTTP/1 alone: a connection of HTTP/2 is for many requests. On one event loop.
 */
public final class OperatorsPort {
  /** For a connection, from its begin to the last byte that its other side has taken. */
  static final long LIMIT_MS = 10_000;
  private static final long PAGE_MS = 1_000;
  private static final int MAX_LINE_BYTES = 1024;
  private static final int MAX_HEADER_BYTES = 8 << 10;
  private static final int MAX_BODY_BYTES = 4 << 10;
  /** In one read: more requests than Vert.x puts into a queue, 128, do not fit into it. */
  private static final int READ_BYTES = 1 << 10;
  /** Text format of Prometheus. */
  private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
  private static final String TEXT = "text/plain; charset=utf-8";

  private final Vertx vertx;
  private final OperatorsAddress address;
  private final Supplier<String> metricsPage;
  private final Supplier<Future<Optional<String>>> notReady;
  private final BriefConnections connections;
  /** Connections that have had their request. */
  private final Set<HttpConnection> served = new HashSet<>();
  private Optional<String> page = Optional.empty();
  private HttpServer server;

  /**
   * @param metricsPage makes the page of {@code /metrics}; must not block
   * @param notReady why this node cannot serve a phase now, empty where it can
   */
  public OperatorsPort(Vertx vertx, OperatorsAddress address, Supplier<String> metricsPage,
      Supplier<Future<Optional<String>>> notReady) {
    this(vertx, address, metricsPage, notReady, LIMIT_MS);
  }

  /** The same with another limit. */
  OperatorsPort(Vertx vertx, OperatorsAddress address, Supplier<String> metricsPage,
      Supplier<Future<Optional<String>>> notReady, long limitMs) {
    this.vertx = vertx;
    this.address = address;
    this.metricsPage = metricsPage;
    this.notReady = notReady;
    this.connections = new BriefConnections(vertx, Limits.MAX_OPERATORS, limitMs,
        "connections to the HTTP port were closed before they had an answer");
  }

  /** Listens. @return the port */
  public Future<Integer> open() {
    server = vertx.createHttpServer(new HttpServerOptions().setHttp2ClearTextEnabled(false)
            .setMaxInitialLineLength(MAX_LINE_BYTES).setMaxHeaderSize(MAX_HEADER_BYTES))
        .connectionHandler(this::accept).requestHandler(this::onRequest);
    return server.listen(address.port(), address.host()).map(HttpServer::actualPort);
  }

  private void accept(HttpConnection connection) {
    ChannelHandlerContext channel = channel(connection);
    channel.channel().config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(READ_BYTES));
    Runnable leave = connections.admit(channel::close);
    connection.closeHandler(_ -> {
      leave.run();
      served.remove(connection);
    });
  }

  /** Closes at once. The connection, and the channel by its tail, would wait for an answer that nobody takes. */
  private static ChannelHandlerContext channel(HttpConnection connection) {
    return ((HttpServerConnection) connection).channelHandlerContext();
  }

  private void onRequest(HttpServerRequest request) {
    HttpConnection connection = request.connection();
    if (!served.add(connection)) {
      return;                                             // sent ahead: this connection ends with its first answer
    }
    ChannelHandlerContext channel = channel(connection);
    int[] bodyBytes = {0};
    request.handler(bytes -> {
      bodyBytes[0] += bytes.length();
      if (bodyBytes[0] > MAX_BODY_BYTES) {
        channel.close();
      }
    });
    // Not before all of it has come: a connection that is closed with bytes unread resets the answer.
    request.end()
        .compose(_ -> answer(request))                    // a throw in here is answered too
        .recover(failure -> Future.succeededFuture(
            new Answer(500, TEXT, (isOperator(request) ? failure : "failed") + "\n")))
        .compose(answer -> send(request.response(), answer))
        .onComplete(_ -> connection.close());
  }

  private static Future<Void> send(HttpServerResponse response, Answer answer) {
    response.setStatusCode(answer.status()).putHeader(HttpHeaders.CONTENT_TYPE, answer.type())
        .putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    if (answer.status() == 401) {
      response.putHeader("WWW-Authenticate", "Bearer");
    }
    return response.end(Buffer.buffer(answer.text()));
  }

  private Future<Answer> answer(HttpServerRequest request) {
    if (request.method() != HttpMethod.GET) {
      return Future.succeededFuture(new Answer(405, TEXT, "only GET\n"));
    }
    return switch (request.path()) {
      case "/metrics" -> Future.succeededFuture(isOperator(request) ? new Answer(200, METRICS_TYPE, page())
          : new Answer(401, TEXT, "the metrics need the token of this daemon\n"));
      case "/health/live" -> Future.succeededFuture(new Answer(200, TEXT, "live\n"));
      case "/health/ready" -> notReady.get().map(reason -> reason.isEmpty() ? new Answer(200, TEXT, "ready\n")
          : new Answer(503, TEXT, (isOperator(request) ? reason.get() : "not ready") + "\n"));
      case null, default ->
          Future.succeededFuture(new Answer(404, TEXT, "here are /metrics, /health/live and /health/ready\n"));
    };
  }

  private boolean isOperator(HttpServerRequest request) {
    return address.token().map(token -> token.isShown(request.getHeader(HttpHeaders.AUTHORIZATION))).orElse(true);
  }

  /** Made once for all who ask within a second: it takes time of the loop that serves the node. */
  private String page() {
    if (page.isEmpty()) {
      page = Optional.of(metricsPage.get());
      vertx.setTimer(PAGE_MS, _ -> page = Optional.empty());
    }
    return page.get();
  }

  private record Answer(int status, String type, String text) {}
}
