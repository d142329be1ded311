package io.vertxscr.verticle;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The HTTP port for those who operate the machine. {@code /metrics} is for Prometheus, {@code /health/live} answers
 * while the event loops turn, {@code /health/ready} says 200, or 503 with the reason why this node cannot serve a
 * phase.
 */
public final class OpsVerticle extends VerticleBase {
  /** Text format of Prometheus. */
  private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
  private static final String TEXT = "text/plain; charset=utf-8";

  /** Longer than any interval between scrapes. */
  private static final int IDLE_S = 300;

  private final Supplier<String> metricsPage;
  private final Supplier<Optional<String>> notReady;
  private final String host;
  private final int wantedPort;
  private volatile HttpServer server;

  /**
   * @param metricsPage makes the page of {@code /metrics}; must not block
   * @param notReady why this node cannot serve a phase now, empty where it can; must not block
   * @param port 0 for any free one
   */
  public OpsVerticle(Supplier<String> metricsPage, Supplier<Optional<String>> notReady, String host, int port) {
    this.metricsPage = metricsPage;
    this.notReady = notReady;
    this.host = host;
    this.wantedPort = port;
  }

  @Override
  public Future<?> start() {
    HttpServerOptions options = new HttpServerOptions().setIdleTimeout(IDLE_S).setIdleTimeoutUnit(TimeUnit.SECONDS);
    server = vertx.createHttpServer(options).requestHandler(this::onRequest);
    return server.listen(wantedPort, host);
  }

  /** The port it listens on, once deployed. */
  public int port() {
    return server.actualPort();
  }

  private void onRequest(HttpServerRequest request) {
    Future.succeededFuture(request)
        .map(this::answer)                              // a throw in here is answered too
        .otherwise(failure -> new Answer(500, TEXT, failure + "\n"))
        .compose(answer -> request.response()
            .setStatusCode(answer.status())
            .putHeader("Content-Type", answer.type())
            .end(answer.text()));
  }

  private Answer answer(HttpServerRequest request) {
    if (request.method() != HttpMethod.GET) {
      return new Answer(405, TEXT, "only GET\n");
    }
    return switch (request.path()) {
      case "/metrics" -> new Answer(200, METRICS_TYPE, metricsPage.get());
      case "/health/live" -> new Answer(200, TEXT, "live\n");
      case "/health/ready" -> notReady.get()
          .map(reason -> new Answer(503, TEXT, reason + "\n"))
          .orElseGet(() -> new Answer(200, TEXT, "ready\n"));
      default -> new Answer(404, TEXT, "here are /metrics, /health/live and /health/ready\n");
    };
  }

  private record Answer(int status, String type, String text) {}
}
