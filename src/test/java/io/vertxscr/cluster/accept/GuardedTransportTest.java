package io.vertxscr.cluster.accept;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertxscr.model.Limits;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: silent connections keep nobody out and take few descriptors. Method: servers of a guarded Vert.x. */
@Timeout(60)
class GuardedTransportTest {
  private static final int MANY = 3 * Limits.MAX_OPERATORS;

  private static final long SHORT_MS = 300;

  private Vertx vertx = guarded(Limits.MAX_PROOF_MS);
  private final List<Socket> opened = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (Socket socket : opened) {
      socket.close();
    }
    vertx.close().await();
  }

  private static Vertx guarded(long proofMs) {
    return Vertx.builder().withTransport(new GuardedTransport(proofMs)).build();
  }

  private Socket open(int port) throws IOException {
    Socket socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(20_000);
    opened.add(socket);
    return socket;
  }

  private static int read(Socket socket) {
    try {
      return socket.getInputStream().read();
    } catch (IOException _) {
      return -1;                                          // reset
    }
  }

  @Test
  void theOldestConnectionToTheHttpPortGoesForTheNext() throws IOException {
    int port = vertx.createHttpServer().requestHandler(request -> request.response().end("x"))
        .listen(0, "127.0.0.1").await().actualPort();
    for (int i = 0; i < MANY; i++) {
      open(port);
    }
    for (Socket oldest : opened.subList(0, MANY - Limits.MAX_OPERATORS)) {
      assertThat(read(oldest)).isEqualTo(-1);
    }
    Socket next = open(port);
    next.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    assertThat(read(next)).isEqualTo('H');
  }

  /** Where nobody else comes. */
  @Test
  void whoProvesNothingIsClosedAfterItsTime() throws IOException {
    vertx.close().await();
    vertx = guarded(SHORT_MS);
    int http = vertx.createHttpServer().requestHandler(_ -> {}).listen(0, "127.0.0.1").await().actualPort();
    NetServer server = vertx.createNetServer().connectHandler(socket -> socket.handler(data -> {
      GuardedTransport.proved(socket);
      socket.write(data);
    }));
    int tcp = server.listen(0, "127.0.0.1").await().actualPort();
    Socket proven = open(tcp);
    proven.getOutputStream().write(7);
    assertThat(read(proven)).isEqualTo(7);
    assertThat(read(open(tcp))).isEqualTo(-1);
    assertThat(read(open(http))).isEqualTo(-1);
    proven.getOutputStream().write(8);
    assertThat(read(proven)).isEqualTo(8);
  }

  @Test
  void whoHasProvedItselfDoesNotGo() throws IOException {
    NetServer server = vertx.createNetServer().connectHandler(socket -> socket.handler(data -> {
      GuardedTransport.proved(socket);
      socket.write(data);
    }));
    int port = server.listen(0, "127.0.0.1").await().actualPort();
    Socket proven = open(port);
    proven.getOutputStream().write(7);
    assertThat(read(proven)).isEqualTo(7);
    for (int i = 0; i < MANY; i++) {
      open(port);
    }
    assertThat(read(opened.get(1))).isEqualTo(-1);
    proven.getOutputStream().write(8);
    assertThat(read(proven)).isEqualTo(8);
  }
}
