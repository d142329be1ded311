package io.vertxscr.verticle;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertxscr.cluster.ops.OperatorsAddress;
import io.vertxscr.cluster.ops.OperatorsView;
import io.vertxscr.metrics.Metrics;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: HTTP requests of Prometheus and batch systems are answered in every state of the node. */
class OpsVerticleTest {
  private final Metrics metrics = new Metrics();
  private final HttpClient client = HttpClient.newHttpClient();
  private volatile Supplier<Optional<String>> notReady = Optional::empty;
  private Vertx vertx;
  private OpsVerticle ops;

  @BeforeEach
  void deploys() throws Exception {
    vertx = metrics.vertx(new VertxOptions().setEventLoopPoolSize(1)).build();
    ops = new OpsVerticle(Optional.of(new OperatorsAddress("127.0.0.1", 0, Optional.empty())),
        new OperatorsView(metrics::page, () -> Future.succeededFuture(notReady.get())));
    vertx.deployVerticle(ops).await(30, TimeUnit.SECONDS);
  }

  @AfterEach
  void closes() throws Exception {
    client.close();
    vertx.close().await(30, TimeUnit.SECONDS);
    metrics.close();
  }

  @Test
  void itIsLive() throws Exception {
    assertThat(get("/health/live")).returns(200, HttpResponse::statusCode).returns("live\n", HttpResponse::body);
  }

  @Test
  void readinessFollowsTheNodeAndSaysWhyNot() throws Exception {
    assertThat(get("/health/ready")).returns(200, HttpResponse::statusCode).returns("ready\n", HttpResponse::body);

    notReady = () -> Optional.of("not joined: no answer from n1:5701");
    assertThat(get("/health/ready")).returns(503, HttpResponse::statusCode)
        .returns("not joined: no answer from n1:5701\n", HttpResponse::body);
  }

  @Test
  void aCheckThatBreaksIsAnsweredToo() throws Exception {
    notReady = () -> {
      throw new IllegalStateException("broken");
    };
    assertThat(get("/health/ready")).returns(500, HttpResponse::statusCode)
        .returns("java.lang.IllegalStateException: broken\n", HttpResponse::body);
  }

  @Test
  void metricsHaveOurMetersThoseOfTheJvmAndThoseOfVertxWithoutAddresses() throws Exception {
    metrics.registry().counter("scr_test_events").increment();
    vertx.eventBus().consumer("scr.n1.init", m -> m.reply(m.body()));
    vertx.eventBus().request("scr.n1.init", "x").await(30, TimeUnit.SECONDS);
    HttpResponse<String> page = get("/metrics");

    assertThat(page.headers().firstValue("Content-Type")).hasValue("text/plain; version=0.0.4; charset=utf-8");
    assertThat(page.body()).contains("scr_test_events_total 1.0").contains("jvm_memory_used_bytes")
        .contains("vertx_http_server").doesNotContain("vertx_eventbus").doesNotContain("scr.n1.init");
  }

  @Test
  void otherPathsAndMethodsAreRefused() throws Exception {
    assertThat(get("/index.html")).returns(404, HttpResponse::statusCode);
    assertThat(get("/health")).returns(404, HttpResponse::statusCode);
    HttpRequest post = HttpRequest.newBuilder(uri("/metrics")).POST(HttpRequest.BodyPublishers.ofString("x")).build();
    assertThat(client.send(post, BodyHandlers.ofString())).returns(405, HttpResponse::statusCode);
  }

  @Test
  void itCanBeSwitchedOff() throws Exception {
    OpsVerticle off = new OpsVerticle(
        Optional.empty(), new OperatorsView(metrics::page, () -> Future.succeededFuture(notReady.get())));
    vertx.deployVerticle(off).await(30, TimeUnit.SECONDS);
    assertThat(off.port()).isEmpty();
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + ops.port().orElseThrow() + path);
  }
}
