package io.vertxscr.cluster.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertxscr.cluster.accept.GuardedTransport;
import io.vertxscr.model.Limits;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: who reaches the port takes a bounded part of the daemon, and keeps nobody else out. Method: raw sockets. */
@Timeout(60)
class OperatorsPortTest {
  private static final String TOKEN = "0123456789abcdef";
  private static final String GET_METRICS = "GET /metrics HTTP/1.1\r\nHost: n1\r\n\r\n";
  private static final int SHORT_MS = 300;
  private static final int LONG_MS = 1_000_000;

  private Vertx vertx;
  private final AtomicInteger pages = new AtomicInteger();
  private final Queue<Socket> sockets = new ArrayDeque<>();
  private volatile String page = "scr_events_total 1.0\n";
  private volatile Optional<String> notReady = Optional.empty();
  private int port;

  private void open(Optional<String> token) throws Exception {
    open(token, Limits.MAX_PROOF_MS, Limits.MAX_ANSWER_MS);
  }

  private void open(Optional<String> token, long requestMs, long answerMs) throws Exception {
    vertx = Vertx.builder().with(new VertxOptions().setEventLoopPoolSize(1))
        .withTransport(new GuardedTransport(requestMs)).build();
    OperatorsAddress address = new OperatorsAddress("127.0.0.1", 0,
        token.map(text -> new BearerToken(text.getBytes(StandardCharsets.US_ASCII))));
    OperatorsView view = new OperatorsView(() -> {
      pages.incrementAndGet();
      return page;
    }, () -> Future.succeededFuture(notReady));
    port = Future.<Integer>future(opened -> vertx.runOnContext(_ ->
        new OperatorsPort(vertx, address, view, answerMs, LiveStreams.HEARTBEAT_MS).open().onComplete(opened)))
        .await(30, TimeUnit.SECONDS);
  }

  @AfterEach
  void close() throws Exception {
    for (Socket socket : sockets) {
      socket.close();
    }
    vertx.close().await(30, TimeUnit.SECONDS);
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(30_000);
    sockets.add(socket);
    return socket;
  }

  /** Sends it, and returns all that comes back until the end of the connection. */
  private String say(String request) throws IOException {
    Socket socket = connect();
    socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
    return rest(socket);
  }

  private static String rest(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  @Test
  void silentConnectionsMakeRoomForTheNext() throws Exception {
    open(Optional.empty(), LONG_MS, LONG_MS);
    List<Socket> silent = new ArrayList<>();
    for (int i = 0; i < Limits.MAX_OPERATORS + 20; i++) {
      silent.add(connect());
    }
    assertThat(say(GET_METRICS)).startsWith("HTTP/1.1 200 ").endsWith(page);
    for (Socket oldest : silent.subList(0, 21)) {
      assertThat(rest(oldest)).isEmpty();
    }
    Socket youngest = silent.getLast();
    youngest.getOutputStream().write(GET_METRICS.getBytes(StandardCharsets.US_ASCII));
    assertThat(rest(youngest)).startsWith("HTTP/1.1 200 ");
  }

  /** Those who take no answer have a number of their own: they do not go for silent ones, nor these for them. */
  @Test
  void whoTakesNoAnswerMakesRoomForTheNextWhoDoesNot() throws Exception {
    open(Optional.empty(), LONG_MS, LONG_MS);
    page = "x".repeat(8 << 20);
    Socket silent = connect();
    List<Socket> deaf = new ArrayList<>();
    for (int i = 0; i <= Limits.MAX_OPERATORS; i++) {
      deaf.add(connect());
      deaf.getLast().getOutputStream().write(GET_METRICS.getBytes(StandardCharsets.US_ASCII));
      assertThat(deaf.getLast().getInputStream().read()).isEqualTo('H');
    }
    assertThat(endsEarly(deaf.getFirst())).as("the oldest").isTrue();
    page = "short\n";
    Eventually.holds("a new page", () -> say(GET_METRICS).endsWith("\r\nshort\n"));
    silent.getOutputStream().write(GET_METRICS.getBytes(StandardCharsets.US_ASCII));
    assertThat(rest(silent)).endsWith("\r\nshort\n");
  }

  private boolean endsEarly(Socket socket) throws IOException {
    try {
      return socket.getInputStream().readAllBytes().length < page.length();
    } catch (SocketException _) {
      return true;
    }
  }

  @Test
  void whoSendsAByteNowAndThenHasNoMoreTimeThanOthers() throws Exception {
    open(Optional.empty(), SHORT_MS, LONG_MS);
    assertThat(drippedUntilClosed(connect(), "GET /metrics HTTP/1.1\r\nX: ")).isLessThan(1000);
  }

  /** Its request waits in the socket, because the loop is busy for longer than a connection may be silent. */
  @Test
  void whoHasSentItsRequestIsNotClosedForABusyLoop() throws Exception {
    open(Optional.empty(), SHORT_MS, LONG_MS);
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    vertx.runOnContext(_ -> {
      busy.countDown();
      try {
        never.await(3 * SHORT_MS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    });
    busy.await();
    assertThat(say(GET_METRICS)).startsWith("HTTP/1.1 200 ").endsWith(page);
  }

  @Test
  void whoTakesNoAnswerHasNoMoreTimeThanOthers() throws Exception {
    open(Optional.empty(), LONG_MS, SHORT_MS);
    page = "x".repeat(32 << 20);
    assertThat(drippedUntilClosed(connect(), GET_METRICS)).isLessThan(1000);
  }

  /** Returns how many bytes the other side has let itself be sent, one every 5 ms. */
  private static int drippedUntilClosed(Socket socket, String begin) throws Exception {
    socket.getOutputStream().write(begin.getBytes(StandardCharsets.US_ASCII));
    int[] sent = {0};
    Eventually.holds("the connection is closed", () -> {
      try {
        sent[0]++;
        socket.getOutputStream().write('G');
        return false;
      } catch (SocketException _) {
        return true;
      }
    });
    return sent[0];
  }

  @Test
  void aConnectionIsForOneRequest() throws Exception {
    open(Optional.empty());
    page = "x".repeat(100_000);
    assertThat(say(GET_METRICS.repeat(100)).split("HTTP/1.1 200 ", -1)).hasSize(2);
    assertThat(pages).hasValue(1);
  }

  @Test
  void thousandsOfRequestsAtOnceGetOneAnswerAtMostAndTheNextConnectionIsServed() throws Exception {
    open(Optional.empty());
    Socket socket = connect();
    Thread flood = Thread.startVirtualThread(() -> {
      try {
        socket.getOutputStream().write(GET_METRICS.repeat(5_000).getBytes(StandardCharsets.US_ASCII));
      } catch (IOException _) {
        // Closed amid it.
      }
    });
    flood.join();
    assertThat(pages.get()).isLessThanOrEqualTo(1);
    assertThat(say(GET_METRICS)).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void onePageServesAllWhoAskWithinASecond() throws Exception {
    open(Optional.empty());
    for (int i = 0; i < 100; i++) {
      assertThat(say(GET_METRICS)).startsWith("HTTP/1.1 200 ");
    }
    assertThat(pages.get()).isBetween(1, 90);
    int before = pages.get();
    page = "new\n";
    Eventually.holds("a new page", () -> say(GET_METRICS).endsWith("\r\nnew\n"));
    assertThat(pages).hasValue(before + 1);
  }

  @Test
  void linesAndHeadersThatAreTooLongAreRefused() throws Exception {
    open(Optional.empty());
    assertThat(say("GET /" + "x".repeat(5_000) + " HTTP/1.1\r\n\r\n")).containsPattern("^HTTP/1.. 414 ");
    assertThat(say("GET / HTTP/1.1\r\nX: " + "x".repeat(9_000) + "\r\n\r\n")).containsPattern("^HTTP/1.. 431 ");
  }

  @Test
  void aBodyIsNotTaken() throws Exception {
    open(Optional.empty());
    assertThat(say("POST /metrics HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody")).startsWith("HTTP/1.1 405 ");
    Socket socket = connect();
    socket.getOutputStream().write("POST /metrics HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n"
        .getBytes(StandardCharsets.US_ASCII));
    Eventually.holds("the connection is closed", () -> {
      try {
        socket.getOutputStream().write(new byte[1000]);
        return false;
      } catch (SocketException _) {
        return true;
      }
    });
  }

  /** A connection of HTTP/2 has many requests, and ways of its own to keep a server busy. */
  @Test
  void thereIsNoHttp2() throws Exception {
    open(Optional.empty());
    assertThat(say("GET /health/live HTTP/1.1\r\nHost: n1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
        + "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n")).startsWith("HTTP/1.1 200 ");
    assertThat(say("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")).startsWith("HTTP/2.0 501 Not Implemented\r\n");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"''|401|false", "Bearer 0123456789abcdef|200|true",
      "bearer 0123456789abcdef|200|true", "Bearer 0123456789abcdeg|401|false", "Bearer 0123456789abcde|401|false",
      "Bearer 0123456789abcdef0|401|false", "Basic 0123456789abcdef|401|false", "Bearer|401|false",
      "0123456789abcdef|401|false"})
  void whoShowsTheTokenSeesMetricsAndReasonsAndOthersWhetherItIsReady(String header, int status, boolean sees)
      throws Exception {
    open(Optional.of(TOKEN));
    String shown = header.isEmpty() ? "" : "Authorization: " + header + "\r\n";
    assertThat(say("GET /metrics HTTP/1.1\r\n" + shown + "\r\n")).startsWith("HTTP/1.1 " + status + " ")
        .satisfies(answer -> assertThat(answer.contains(page)).isEqualTo(sees))
        .satisfies(answer -> assertThat(answer.contains("WWW-Authenticate: Bearer")).isEqualTo(!sees));
    assertThat(say("GET /health/live HTTP/1.1\r\n" + shown + "\r\n")).startsWith("HTTP/1.1 200 ");
    assertThat(say("GET /health/ready HTTP/1.1\r\n" + shown + "\r\n")).startsWith("HTTP/1.1 200 ");
    notReady = Optional.of("the leader, node n7, is away");
    assertThat(say("GET /health/ready HTTP/1.1\r\n" + shown + "\r\n")).startsWith("HTTP/1.1 503 ")
        .endsWith(sees ? "\r\nthe leader, node n7, is away\n" : "\r\nnot ready\n");
  }
}
