package io.vertxscr.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Frames;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.app.InitReply;
import io.vertxscr.timing.Eventually;
import io.vertxscr.verticle.BridgeVerticle;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a call to a daemon that is silent fails, with the node and the call. One to a daemon that is alive waits as
 * long as it takes. Method: ticks that are short, against a socket that nobody reads, and a node that does not answer.
 */
@Timeout(60)
class SilentDaemonTest {
  private static final long TICK_MS = 30;
  /** For a daemon that answers: four ticks are far longer than an answer takes. */
  private static final long SLOW_TICK_MS = 1_500;
  private static final InitReply NODE = new InitReply(77, "n1", InitReply.VERSION, "fake 1.0");

  @TempDir
  Path directory;
  private final Vertx vertx = Vertx.vertx();
  private final FakeNode node = new FakeNode("n1");
  private Path socket;

  @BeforeEach
  void deploy() {
    socket = directory.resolve("scr.sock");
    SessionTest.await(vertx.deployVerticle(node));
    SessionTest.await(vertx.deployVerticle(new BridgeVerticle("n1", socket, _ -> {})));
    node.overrides.put(Verb.INIT, _ -> Future.succeededFuture(NODE));
  }

  @AfterEach
  void close() {
    SessionTest.await(vertx.close());
  }

  private static void assertGivenUp(CompletableFuture<?> answer, String... says) throws Exception {
    try {
      answer.get(60, TimeUnit.SECONDS);
      throw new AssertionError("answered");
    } catch (ExecutionException e) {
      assertThat(e.getCause()).isInstanceOfSatisfying(ScrException.class, failure -> {
        assertThat(failure.fault()).isEqualTo(Fault.NODE_LOST);
        assertThat(failure.getMessage()).contains("silent").contains(says);
      });
    }
  }

  @Test
  void aDaemonThatTakesBytesAndIsSilentIsGivenUp() throws Exception {
    Path stopped = directory.resolve("stopped.sock");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(stopped));
      SocketTransport transport = SocketTransport.connect(stopped, TICK_MS);
      assertGivenUp(transport.request(Verb.INIT, Map.of()), "init", stopped.toString());
      assertGivenUp(transport.request(Verb.ROUTE, Map.of()), "init");
    }
  }

  @Test
  void aDaemonThatTakesNoBytesIsGivenUp() throws Exception {
    Path stopped = directory.resolve("stopped.sock");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(stopped));
      SocketTransport transport = SocketTransport.connect(stopped, TICK_MS);
      assertGivenUp(transport.request(Verb.COMPLETE_OUTPUT, Map.of("filler", "x".repeat(8 << 20))), "complete-output");
    }
  }

  /** It takes no bytes any more before it says why. */
  @Test
  void aDaemonThatSaysWhyItClosesIsHeardThoughACallCannotBeSent() throws Exception {
    Path closing = directory.resolve("closing.sock");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(closing));
      SocketTransport transport = SocketTransport.connect(closing, SLOW_TICK_MS);
      try (SocketChannel daemon = server.accept()) {
        daemon.shutdownInput();
        CompletableFuture<Map<String, Object>> answer = transport.request(Verb.INIT, Map.of());
        byte[] reason = Frames.encode(Frames.error(null, new ScrException(Fault.BUSY, "too many applications")));
        daemon.write(ByteBuffer.wrap(reason));
        assertThatThrownBy(() -> answer.get(60, TimeUnit.SECONDS)).hasMessageContaining("too many applications");
      }
    }
  }

  /** Its bridge is alive, and its event loop is not. */
  @Test
  void aNodeWhoseLoopHangsIsGivenUpWithItsNameAndTheCall() throws Exception {
    node.hang(Verb.ALIVE);
    node.hang(Verb.START_OUTPUT);
    SocketTransport transport = SocketTransport.connect(socket, SLOW_TICK_MS);
    transport.request(Verb.INIT, Map.of()).get(60, TimeUnit.SECONDS);
    assertGivenUp(transport.request(Verb.START_OUTPUT, Map.of()), "node n1", "start-output");
  }

  @Test
  void aCallToADaemonThatAnswersPingsMayTakeLong() throws Exception {
    Promise<Object> open = Promise.promise();
    node.overrides.put(Verb.INIT, _ -> open.future());
    SocketTransport transport = SocketTransport.connect(socket, SLOW_TICK_MS);
    try {
      CompletableFuture<Map<String, Object>> answer = transport.request(Verb.INIT, Map.of());
      Eventually.holds("pings", () -> answer.isDone()
          || node.received.stream().filter(call -> call.verb() == Verb.ALIVE).count() > 5);
      assertThat(answer).isNotDone();
      open.complete(NODE);
      assertThat(answer.get(60, TimeUnit.SECONDS)).containsEntry("node", "n1");
    } finally {
      transport.close();
    }
  }

  @Test
  void aMemberGivesUpANodeThatHangsToo() throws Exception {
    node.hang(Verb.ALIVE);
    node.hang(Verb.START_OUTPUT);
    BusTransport transport = new BusTransport(vertx, "n1", 2);
    assertGivenUp(transport.request(Verb.START_OUTPUT, Map.of()), "node n1", "start-output");
    transport.close();
  }
}
