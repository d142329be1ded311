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

  private final Vertx vertx = Vertx.builder().withTransport(new GuardedTransport()).build();
  private final List<Socket> opened = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (Socket socket : opened) {
      socket.close();
    }
    vertx.close().await();
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
