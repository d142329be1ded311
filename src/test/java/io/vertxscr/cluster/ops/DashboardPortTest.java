package io.vertxscr.cluster.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cluster.accept.GuardedTransport;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import io.vertxscr.service.dashboard.DashboardFeed.Watcher;
import io.vertxscr.timing.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: the dashboard is for those who may see it, live, and takes a bounded part of the daemon. With raw sockets. */
@Timeout(60)
class DashboardPortTest {
  private static final String TOKEN = "0123456789abcdef";
  private static final String ACTION_TOKEN = "fedcba9876543210";

  private static final long HEARTBEAT_MS = 200;

  private static final long SHORT_MS = 300;

  private final Vertx vertx = Vertx.builder().with(new VertxOptions().setEventLoopPoolSize(1))
      .withTransport(new GuardedTransport(SHORT_MS)).build();
  private final Queue<Socket> sockets = new ArrayDeque<>();
  private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();
  private final Queue<String> acted = new ConcurrentLinkedQueue<>();
  private volatile boolean started = true;
  private int port;

  private final class Shown implements Dashboard {
    @Override
    public Future<JsonObject> picture() {
      return Future.succeededFuture(new JsonObject().put("status", "drawn"));
    }

    @Override
    public Future<JsonObject> loss(List<String> nodes) {
      return nodes.contains("n9") ? Future.failedFuture(new ScrException(Fault.BAD_REQUEST, "node 'n9' is not known"))
          : Future.succeededFuture(new JsonObject().put("nodes", nodes.toString()));
    }

    @Override
    public Future<String> act(JsonObject request) {
      acted.add(request.encode());
      return request.containsKey("refused")
          ? Future.failedFuture(new ScrException(Fault.WRONG_STATE, "no run is on")) : Future.succeededFuture("begun");
    }

    @Override
    public void watch(Watcher watcher) {
      watchers.add(watcher);
    }

    @Override
    public void leave(Watcher watcher) {
      watchers.remove(watcher);
    }
  }

  private void open(boolean withToken) throws Exception {
    open(withToken ? Optional.of(token(TOKEN)) : Optional.empty(), Optional.of(token(ACTION_TOKEN)));
  }

  private void open(Optional<BearerToken> token, Optional<BearerToken> actionToken) throws Exception {
    OperatorsAddress address = new OperatorsAddress("127.0.0.1", 0, token, actionToken);
    OperatorsView view = new OperatorsView(() -> "", () -> Future.succeededFuture(Optional.empty()),
        () -> started ? Optional.of(new Shown()) : Optional.empty());
    port = Future.<Integer>future(opened -> vertx.runOnContext(_ ->
        new OperatorsPort(vertx, address, view, SHORT_MS, HEARTBEAT_MS).open().onComplete(opened)))
        .await(30, TimeUnit.SECONDS);
  }

  private static BearerToken token(String text) {
    return new BearerToken(text.getBytes(StandardCharsets.US_ASCII));
  }

  @AfterEach
  void close() throws Exception {
    for (Socket socket : sockets) {
      socket.close();
    }
    vertx.close().await(30, TimeUnit.SECONDS);
  }

  private Socket send(String path, String... headers) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(30_000);
    sockets.add(socket);
    socket.getOutputStream().write(("GET " + path + " HTTP/1.1\r\n" + String.join("\r\n", headers) + "\r\n\r\n")
        .getBytes(StandardCharsets.ISO_8859_1));
    return socket;
  }

  private String post(String body, String... headers) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(30_000);
    sockets.add(socket);
    socket.getOutputStream().write(("POST /dashboard/act HTTP/1.1\r\nHost: n1\r\nContent-Length: " + body.length()
        + "\r\n" + String.join("", List.of(headers).stream().map(header -> header + "\r\n").toList()) + "\r\n" + body)
        .getBytes(StandardCharsets.ISO_8859_1));
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private String get(String path, String... headers) throws IOException {
    return new String(send(path, headers).getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static BufferedReader reader(Socket socket) throws IOException {
    return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Returns what follows the next line that begins so. */
  private static String next(BufferedReader stream, String begin) throws IOException {
    for (String line = stream.readLine(); line != null; line = stream.readLine()) {
      if (line.startsWith(begin)) {
        return line.substring(begin.length());
      }
    }
    throw new AssertionError("the stream has ended");
  }

  @ParameterizedTest
  @CsvSource({"/,text/html", "/dashboard.css,text/css", "/dashboard.js,text/javascript", "/dashboard.svg,image/svg"})
  void thePageIsForEverybodyAndRunsNothingOfOthers(String path, String type) throws Exception {
    open(true);
    assertThat(get(path, "Host: any.example")).startsWith("HTTP/1.1 200 ").containsIgnoringCase("content-type: " + type)
        .contains("default-src 'none'; script-src 'self'").contains("nosniff");
  }

  @Test
  void thePageHasNothingInlineAndNothingOfElsewhere() throws Exception {
    open(false);
    String page = get("/");
    assertThat(page).doesNotContainPattern("(?i)<script(?![^>]*src=\"/)").doesNotContainPattern("(?i)\\son[a-z]+=")
        .doesNotContainPattern("(?i)style=").doesNotContainPattern("https?://");
    assertThat(get("/dashboard.js")).doesNotContain("innerHTML", "insertAdjacentHTML", "document.write", "eval(",
        "outerHTML");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"''|401", "Authorization: Bearer " + TOKEN + "|200",
      "Authorization: Bearer " + ACTION_TOKEN + "|200", "Authorization: Bearer 0123456789abcdeg|401"})
  void dataIsForThoseWhoShowAToken(String header, int status) throws Exception {
    open(true);
    for (String path : List.of("/dashboard/picture", "/dashboard/loss?nodes=n1")) {
      assertThat(get(path, "Host: n1.cluster:8080", header)).startsWith("HTTP/1.1 " + status + " ");
    }
    assertThat(reader(send("/dashboard/live", "Host: n1", header)).readLine()).startsWith("HTTP/1.1 " + status + " ");
    assertThat(get("/dashboard/picture?token=" + TOKEN, "Host: n1")).as("never in an address")
        .startsWith("HTTP/1.1 401 ");
  }

  /** A name of somebody else's may lead here: a page of that name must not read what is shown. */
  @ParameterizedTest
  @CsvSource({"127.0.0.1:80,200", "localhost,200", "[::1]:80,200", "10.0.0.1,200", "rebound.example,403",
      "localhost.example,403", "127.0.0.1.example:80,403"})
  void withoutATokenDataIsForThoseWhoNameAnAddress(String host, int status) throws Exception {
    open(false);
    assertThat(get("/dashboard/picture", "Host: " + host)).startsWith("HTTP/1.1 " + status + " ");
  }

  @Test
  void aLossIsAskedForByNames() throws Exception {
    open(false);
    assertThat(get("/dashboard/loss?nodes=n1,n2", "Host: localhost")).endsWith("{\"nodes\":\"[n1, n2]\"}");
    assertThat(get("/dashboard/loss?nodes=n9", "Host: localhost")).startsWith("HTTP/1.1 400 ")
        .endsWith("node 'n9' is not known\n");
    started = false;
    assertThat(get("/dashboard/picture", "Host: localhost")).startsWith("HTTP/1.1 503 ").endsWith("the node starts\n");
  }

  @Test
  void onlyTheTokenForActionsActs() throws Exception {
    String act = "Authorization: Bearer " + ACTION_TOKEN;
    open(true);
    assertThat(post("{\"action\":\"halt\"}")).startsWith("HTTP/1.1 401 ");
    assertThat(post("{\"action\":\"halt\"}", "Authorization: Bearer " + TOKEN)).as("who may only look")
        .startsWith("HTTP/1.1 401 ").endsWith("to act needs the token of --http-action-token-file\n");
    assertThat(get("/dashboard/act", "Host: n1", act)).as("an address does nothing").startsWith("HTTP/1.1 404 ");
    assertThat(post("[]", act)).startsWith("HTTP/1.1 400 ");
    assertThat(acted).isEmpty();
    assertThat(post("{\"action\":\"halt\"}", act)).startsWith("HTTP/1.1 200 ").endsWith("begun\n");
    assertThat(post("{\"refused\":1}", act)).startsWith("HTTP/1.1 409 ").endsWith("no run is on\n");
    assertThat(acted).containsExactly("{\"action\":\"halt\"}", "{\"refused\":1}");
    assertThat(get("/dashboard/access", "Host: n1", act)).endsWith("{\"act\":true,\"actToken\":true}");
    assertThat(get("/dashboard/access", "Host: n1", "Authorization: Bearer " + TOKEN))
        .endsWith("{\"act\":false,\"actToken\":true}");
  }

  @Test
  void withoutATokenForActionsNobodyActs() throws Exception {
    open(Optional.of(token(TOKEN)), Optional.empty());
    assertThat(post("{\"action\":\"halt\"}", "Authorization: Bearer " + TOKEN)).startsWith("HTTP/1.1 403 ")
        .endsWith("nobody may act by way of this daemon: it has no --http-action-token-file\n");
    assertThat(acted).isEmpty();
  }

  @Test
  void theStreamTellsPicturesAndEventsInOneLineEach() throws Exception {
    open(false);
    BufferedReader stream = reader(send("/dashboard/live", "Host: localhost"));
    assertThat(next(stream, "content-type: ")).isEqualTo("text/event-stream; charset=utf-8");
    Eventually.holds("it is told", () -> watchers.size() == 1);
    Watcher watcher = watchers.iterator().next();
    watcher.events(List.of(new JsonObject().put("cause", "a\n\ndata: forged\r\n")));
    assertThat(next(stream, "event: ")).isEqualTo("events");
    assertThat(next(stream, "data: ")).isEqualTo("[{\"cause\":\"a\\n\\ndata: forged\\r\\n\"}]");
    watcher.picture(new JsonObject().put("status", 1));
    assertThat(next(stream, "event: ")).isEqualTo("picture");
    assertThat(next(stream, "data: ")).isEqualTo("{\"status\":1}");
    assertThat(next(stream, ": ")).as("a heartbeat").isEqualTo("alive");
  }

  /** It has no time of its own; silent connections, and those who take no answer, do not crowd it out. */
  @Test
  void theStreamStaysOpenBeyondTheTimeOfOthers() throws Exception {
    open(false);
    BufferedReader stream = reader(send("/dashboard/live", "Host: localhost"));
    assertThat(next(stream, "content-type: ")).startsWith("text/event-stream");
    Socket silent = new Socket(InetAddress.getLoopbackAddress(), port);
    sockets.add(silent);
    silent.setSoTimeout(30_000);
    for (int i = 0; i < 2 * Limits.MAX_OPERATORS; i++) {
      sockets.add(new Socket(InetAddress.getLoopbackAddress(), port));
    }
    assertThat(silent.getInputStream().read()).as("a connection without a request").isEqualTo(-1);
    for (long waitedMs = 0; waitedMs <= 3 * SHORT_MS; waitedMs += HEARTBEAT_MS) {
      assertThat(next(stream, ": ")).isEqualTo("alive");
    }
    assertThat(watchers).hasSize(1);
  }

  @Test
  void whoGoesIsToldNothingMoreAndTheNextOneHasRoom() throws Exception {
    open(false);
    List<Socket> streams = new ArrayList<>();
    for (int i = 0; i < Limits.MAX_WATCHERS; i++) {
      streams.add(send("/dashboard/live", "Host: localhost"));
      int count = i + 1;
      Eventually.holds("a watcher", () -> watchers.size() == count);
    }
    assertThat(get("/dashboard/live", "Host: localhost")).startsWith("HTTP/1.1 503 ")
        .endsWith("16 look at the dashboard of this daemon already\n");
    assertThat(get("/dashboard/picture", "Host: localhost")).as("others are served").startsWith("HTTP/1.1 200 ");
    streams.getFirst().close();
    Eventually.holds("it has left", () -> watchers.size() == Limits.MAX_WATCHERS - 1);
    assertThat(reader(send("/dashboard/live", "Host: localhost")).readLine()).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void whoReadsNothingIsClosed() throws Exception {
    open(false);
    send("/dashboard/live", "Host: localhost");
    Eventually.holds("it is told", () -> watchers.size() == 1);
    Watcher watcher = watchers.iterator().next();
    JsonObject large = new JsonObject().put("text", "x".repeat(4 << 20));
    Eventually.holds("it is given up", () -> {
      watcher.picture(large);
      return watchers.isEmpty();
    });
  }
}
