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
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cluster.accept.GuardedTransport;
import io.vertxscr.cluster.admission.UnprovenConnections.Handling;
import io.vertxscr.cluster.admission.UnprovenConnections;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * HTTP for those who operate the machine. {@code /} is the dashboard, whose page asks for the data below
 * {@code /dashboard}; {@code /metrics} is for Prometheus, {@code /health/live} answers while the event loop turns,
 * {@code /health/ready} says 200, or 503 with the reason why this node cannot serve a phase.
 *
 * <p>Where a token is asked for, data, metrics and the reason are for those who show it; that a node lives or is ready,
 * which an orchestrator asks, is told to everybody. Where none is, data is for those who name this host by its address:
 * a page of somebody else's whose name leads here (DNS rebinding) does not. To act always takes a token of its own.
 *
 * <p>Anybody may be able to connect. So a connection is for one request, with a time for the request ({@link
 * GuardedTransport} sees to that) and one for its answer; of each kind there are few at a time, and the oldest makes
 * room for the next. One page of metrics serves all who ask within a second. {@code /dashboard/live} alone stays open
 * ({@link LiveStreams}). HTTP/1 alone: a connection of HTTP/2 is for many requests. On one event loop.
 */
public final class OperatorsPort {
  private static final long PAGE_MS = 1_000;
  private static final int MAX_LINE_BYTES = 1024;
  private static final int MAX_HEADER_BYTES = 8 << 10;
  private static final int MAX_BODY_BYTES = 4 << 10;
  /** In one read: more requests than Vert.x puts into a queue, 128, do not fit into it. */
  private static final int READ_BYTES = 1 << 10;
  /** Text format of Prometheus. */
  private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String JSON = "application/json; charset=utf-8";
  /** An address, or the one name that leads to this host for everybody; perhaps with a port. */
  private static final Pattern OWN_HOST = Pattern.compile("(localhost|[0-9.]+|\\[[0-9a-fA-F:.]+\\])(:[0-9]+)?");

  private final Vertx vertx;
  private final OperatorsAddress address;
  private final OperatorsView view;
  /** Those that have had their request, and not taken their answer. */
  private final UnprovenConnections<HttpConnection> answered;
  private final LiveStreams streams;
  /** Connections that have had their request. */
  private final Set<HttpConnection> served = new HashSet<>();
  private Optional<String> page = Optional.empty();
  private HttpServer server;

  /** @param vertx with a {@link GuardedTransport} */
  public OperatorsPort(Vertx vertx, OperatorsAddress address, OperatorsView view) {
    this(vertx, address, view, Limits.MAX_ANSWER_MS, LiveStreams.HEARTBEAT_MS);
  }

  /** The same with other times. */
  OperatorsPort(Vertx vertx, OperatorsAddress address, OperatorsView view, long answerMs, long heartbeatMs) {
    this.vertx = vertx;
    this.address = address;
    this.view = view;
    this.streams = new LiveStreams(vertx, heartbeatMs);
    this.answered = new UnprovenConnections<>(new UnprovenConnections.Bounds(Limits.MAX_OPERATORS, answerMs,
        "connections to the HTTP port were closed before they had taken their answer"), new Handling<>() {
          @Override
          public void close(HttpConnection connection) {
            channel(connection).close();
          }

          @Override
          public void onReader(HttpConnection connection, Runnable action) {
            channel(connection).executor().execute(action);
          }
        });
  }

  /** Listens. @return the port */
  public Future<Integer> open() {
    server = vertx.createHttpServer(new HttpServerOptions().setHttp2ClearTextEnabled(false)
            .setMaxInitialLineLength(MAX_LINE_BYTES).setMaxHeaderSize(MAX_HEADER_BYTES))
        .connectionHandler(this::accept).requestHandler(this::onRequest);
    return server.listen(address.port(), address.host()).map(HttpServer::actualPort);
  }

  private void accept(HttpConnection connection) {
    channel(connection).channel().config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(READ_BYTES));
    connection.closeHandler(_ -> {
      answered.left(connection);
      streams.ended(connection);
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
    Buffer body = Buffer.buffer();
    request.handler(bytes -> {
      body.appendBuffer(bytes);
      if (body.length() > MAX_BODY_BYTES) {
        channel.close();
      }
    });
    // Not before all of it has come: a connection that is closed with bytes unread resets the answer.
    request.end()
        .map(_ -> {
          GuardedTransport.proved(channel.channel());
          answered.opened(connection);
          return body;
        })
        .compose(_ -> answer(request, body))                    // a throw in here is answered too
        .recover(failure -> Future.succeededFuture(failed(request, failure)))
        .onComplete((answer, _) -> {
          if (answer.stream().isPresent()) {
            answered.left(connection);
            streams.begin(connection, request.response(), answer.stream().get(), channel::close);
          } else {
            send(request.response(), answer).onComplete(_ -> connection.close());
          }
        });
  }

  private Answer failed(HttpServerRequest request, Throwable failure) {
    if (!isOperator(request)) {
      return new Answer(500, TEXT, "failed\n");
    }
    return failure instanceof ScrException known ? new Answer(status(known.fault()), TEXT, known.getMessage() + "\n")
        : new Answer(500, TEXT, failure + "\n");
  }

  private static int status(Fault fault) {
    return switch (fault) {
      case BAD_REQUEST -> 400;
      case NO_SUCH_DATASET -> 404;
      case WRONG_STATE, TOO_MANY_LOST -> 409;
      case BUSY, STOPPING, TIMEOUT -> 503;
      case NO_SPACE -> 507;
      default -> 500;
    };
  }

  private static Future<Void> send(HttpServerResponse response, Answer answer) {
    response.setStatusCode(answer.status()).putHeader(HttpHeaders.CONTENT_TYPE, answer.type())
        .putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    DashboardFiles.HEADERS.forEach(response::putHeader);
    if (answer.status() == 401) {
      response.putHeader("WWW-Authenticate", "Bearer");
    }
    return response.end(answer.body());
  }

  private Future<Answer> answer(HttpServerRequest request, Buffer body) {
    if (request.method() == HttpMethod.POST && "/dashboard/act".equals(request.path())) {
      return act(request, body);
    }
    if (request.method() != HttpMethod.GET) {
      return Future.succeededFuture(new Answer(405, TEXT, "only GET\n"));
    }
    return switch (request.path()) {
      case "/metrics" -> Future.succeededFuture(isOperator(request) ? new Answer(200, METRICS_TYPE, page())
          : new Answer(401, TEXT, "the metrics need the token of this daemon\n"));
      case "/dashboard/picture" -> shown(request, dashboard -> dashboard.picture()
          .map(picture -> new Answer(200, JSON, picture.encode())));
      case "/dashboard/loss" -> shown(request, dashboard -> dashboard.loss(nodes(request))
          .map(loss -> new Answer(200, JSON, loss.encode())));
      case "/dashboard/access" -> shown(request, _ -> Future.succeededFuture(new Answer(200, JSON,
          new JsonObject().put("act", isActor(request.getHeader(HttpHeaders.AUTHORIZATION)))
              .put("actToken", address.actionToken().isPresent()).encode())));
      case "/dashboard/live" -> shown(request, dashboard -> Future.succeededFuture(streams.isFull()
          ? new Answer(503, TEXT, Limits.MAX_WATCHERS + " look at the dashboard of this daemon already\n")
          : new Answer(200, TEXT, Buffer.buffer(), Optional.of(dashboard))));
      case "/health/live" -> Future.succeededFuture(new Answer(200, TEXT, "live\n"));
      case "/health/ready" -> view.notReady().get().map(reason -> reason.isEmpty() ? new Answer(200, TEXT, "ready\n")
          : new Answer(503, TEXT, (isOperator(request) ? reason.get() : "not ready") + "\n"));
      case null -> Future.succeededFuture(notHere());
      default -> Future.succeededFuture(DashboardFiles.find(request.path())
          .map(file -> new Answer(200, file.type(), file.bytes(), Optional.empty())).orElseGet(OperatorsPort::notHere));
    };
  }

  private static Answer notHere() {
    return new Answer(404, TEXT, "here are /, /metrics, /health/live and /health/ready\n");
  }

  private static List<String> nodes(HttpServerRequest request) {
    String names = request.getParam("nodes", "");
    return names.isEmpty() ? List.of() : List.of(names.split(",", -1));
  }

  private Future<Answer> shown(HttpServerRequest request, Function<Dashboard, Future<Answer>> what) {
    if (!isOperator(request)) {
      return Future.succeededFuture(new Answer(401, TEXT, "the dashboard needs the token of this daemon\n"));
    }
    String host = request.getHeader(HttpHeaders.HOST);
    if (address.token().isEmpty() && (host == null || !OWN_HOST.matcher(host).matches())) {
      return Future.succeededFuture(new Answer(403, TEXT, "without --http-token-file the dashboard is for those who ask"
          + " for localhost or an address, not a name\n"));
    }
    return view.dashboard().get().map(what)
        .orElseGet(() -> Future.succeededFuture(new Answer(503, TEXT, "the node starts\n")));
  }

  private Future<Answer> act(HttpServerRequest request, Buffer body) {
    if (address.actionToken().isEmpty()) {
      return Future.succeededFuture(new Answer(
          403, TEXT, "nobody may act by way of this daemon: it has no --http-action-token-file\n"));
    }
    if (!isActor(request.getHeader(HttpHeaders.AUTHORIZATION))) {
      return Future.succeededFuture(new Answer(401, TEXT, "to act needs the token of --http-action-token-file\n"));
    }
    JsonObject wish;
    try {
      wish = new JsonObject(body);
    } catch (DecodeException _) {
      return Future.succeededFuture(new Answer(400, TEXT, "expected a JSON object\n"));
    }
    return view.dashboard().get().map(dashboard -> dashboard.act(wish).map(said -> new Answer(200, TEXT, said + "\n")))
        .orElseGet(() -> Future.succeededFuture(new Answer(503, TEXT, "the node starts\n")));
  }

  private boolean isOperator(HttpServerRequest request) {
    String shown = request.getHeader(HttpHeaders.AUTHORIZATION);
    return address.token().isEmpty() || address.token().get().isShown(shown) || isActor(shown);
  }

  private boolean isActor(String shown) {
    return address.actionToken().filter(token -> token.isShown(shown)).isPresent();
  }

  /** Made once for all who ask within a second: it takes time of the loop that serves the node. */
  private String page() {
    if (page.isEmpty()) {
      page = Optional.of(view.metricsPage().get());
      vertx.setTimer(PAGE_MS, _ -> page = Optional.empty());
    }
    return page.get();
  }

  /** @param stream whom the rest of the connection is told of, instead of a body */
  private record Answer(int status, String type, Buffer body, Optional<Dashboard> stream) {
    Answer(int status, String type, String text) {
      this(status, type, Buffer.buffer(text), Optional.empty());
    }
  }
}
