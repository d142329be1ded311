package io.vertxscr.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.app.DoneReply;
import io.vertxscr.protocol.app.HaveRestartReply;
import io.vertxscr.protocol.app.InitReply;
import io.vertxscr.timing.Eventually;
import io.vertxscr.verticle.BridgeVerticle;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: every misuse of the client by a plain program is reported, and no call waits forever. */
@Timeout(60)
class ScrTest {
  @TempDir
  Path directory;
  private final Vertx vertx = Vertx.vertx();
  private final FakeNode node = new FakeNode("n1");
  private final BlockingQueue<String> closed = new LinkedBlockingQueue<>();
  private ScrOptions options;

  @BeforeEach
  void deploy() {
    options = new ScrOptions(directory.resolve("scr.sock"), 2, 3, directory, "job");
    SessionTest.await(vertx.deployVerticle(node));
    SessionTest.await(vertx.deployVerticle(new BridgeVerticle("n1", options.socket(), closed::add)));
  }

  @AfterEach
  void close() {
    SessionTest.await(vertx.close());
  }

  @Test
  void aProgramRestartsWritesAndFinishes() throws InterruptedException {
    try (Scr scr = Scr.open(options)) {
      assertThat(scr.rank()).isEqualTo(2);
      assertThat(scr.ranks()).isEqualTo(3);
      assertThat(scr.node()).isEqualTo("n1");
      try (Restart restart = scr.restart().orElseThrow()) {
        assertThat(restart.name()).isEqualTo("before");
        assertThat(restart.route("f")).isEqualTo(Path.of("/cache/5/f"));
        restart.complete(true);
      }
      try (Output output = scr.startOutput("a", DatasetFlags.OUTPUT)) {
        assertThat(output.dataset()).isEqualTo(5);
        output.complete(true);
      }
      scr.finish();
    }
    JsonObject init = node.received.getFirst().body();
    assertThat(init).isEqualTo(new JsonObject().put("rank", 2).put("ranks", 3).put("prefix", directory.toString())
        .put("jobName", "job"));
    assertThat(closed.poll(60, TimeUnit.SECONDS)).isEqualTo("bridge:1");
  }

  @Test
  void noCheckpointMeansNoRestart() {
    node.overrides.put(Verb.HAVE_RESTART, _ -> Future.succeededFuture(HaveRestartReply.NONE));
    try (Scr scr = Scr.open(options)) {
      assertThat(scr.restart()).isEmpty();
    }
  }

  @Test
  void anOutputThatIsLeftByAnExceptionIsCompletedAsNotValid() {
    try (Scr scr = Scr.open(options)) {
      assertThatThrownBy(() -> {
        try (Output output = scr.startCheckpoint("a")) {
          output.route("x");
          throw new IOException("disk full");
        }
      }).isInstanceOf(IOException.class).hasNoSuppressedExceptions();
      assertThat(node.received.getLast().verb()).isEqualTo(Verb.COMPLETE_OUTPUT);
      assertThat(node.received.getLast().body().getBoolean("valid")).isFalse();
      scr.startCheckpoint("b").complete(true);
    }
  }

  @Test
  void anOutputThatFailsToCompleteIsNotCompletedAgain() {
    try (Scr scr = Scr.open(options)) {
      ScrException failure = catchThrowableOfType(ScrException.class, () -> {
        try (Output output = scr.startCheckpoint("a")) {
          output.complete(false);
        }
      });
      assertThat(failure.fault()).isEqualTo(Fault.NOT_VALID);
      assertThat(failure.getSuppressed()).isEmpty();
      assertThat(node.calls()).containsExactly(1L, 2L);
    }
  }

  @Test
  void misuseIsRefusedWithASentence() {
    try (Scr scr = Scr.open(options)) {
      Output output = scr.startCheckpoint("a");
      assertRefused(() -> scr.startCheckpoint("b"), Fault.WRONG_STATE, "rank 2: start-output");
      assertRefused(scr::finish, Fault.WRONG_STATE, "is open");
      assertRefused(() -> scr.route("x"), Fault.WRONG_STATE, "route on the phase");
      output.complete(true);
      assertRefused(() -> output.complete(true), Fault.WRONG_STATE, "is complete");
      assertRefused(() -> output.route("x"), Fault.WRONG_STATE, "is complete");
      assertRefused(() -> scr.startCheckpoint(""), Fault.BAD_REQUEST, "name");
      scr.close();
      assertRefused(() -> scr.startCheckpoint("b"), Fault.NODE_LOST, "closed by this process");
    }
    assertRefused(() -> Scr.open(new ScrOptions(options.socket(), 3, 3, directory, "")), Fault.BAD_REQUEST, "rank");
    assertRefused(() -> Scr.open(new ScrOptions(directory.resolve("none"), 0, 3, directory, "")), Fault.NODE_LOST,
        "none");
    assertRefused(() -> new ScrOptions(Path.of("/" + "s".repeat(107)), 0, 3, directory, ""), Fault.BAD_CONFIGURATION,
        "107");
  }

  @Test
  void blockingCallsOnAnEventLoopAreRefusedBeforeTheyAreSent() {
    try (Scr scr = Scr.open(options)) {
      int sent = node.received.size();
      Promise<Void> tried = Promise.promise();
      vertx.runOnContext(_ -> {
        assertRefused(() -> scr.startCheckpoint("a"), Fault.WRONG_STATE, "event loop");
        tried.complete();
      });
      SessionTest.await(tried.future());
      assertThat(node.received).hasSize(sent);
      SessionTest.await(vertx.executeBlocking(() -> scr.startCheckpoint("a")));
    }
  }

  @Test
  void anInterruptIsKeptForAfterTheCallAndDoesNotEndTheRun() throws Exception {
    Promise<Object> open = Promise.promise();
    try (Scr scr = Scr.open(options)) {
      node.overrides.put(Verb.ROUTE, _ -> open.future());
      AtomicReference<Object> outcome = new AtomicReference<>();
      Thread rank = Thread.ofPlatform().start(() -> {
        Thread.currentThread().interrupt();
        outcome.set(scr.route("x") + " interrupted=" + Thread.interrupted());
      });
      Eventually.holds("the call is there", () -> node.received.size() == 2);
      rank.interrupt();
      open.complete(new JsonObject().put("file", "/x"));
      rank.join();
      assertThat(outcome.get()).isEqualTo("/x interrupted=true");
    }
  }

  @Test
  void aRunOutlivesInterruptsAtAnyMomentOfItsCalls() throws InterruptedException {
    try (Scr scr = Scr.open(options)) {
      AtomicInteger routed = new AtomicInteger();
      Thread rank = Thread.ofPlatform().start(() -> {
        for (int i = 0; i < 500; i++) {
          scr.route("x");
          routed.incrementAndGet();
          Thread.interrupted();
        }
      });
      while (rank.isAlive() && !Thread.currentThread().isInterrupted()) {
        rank.interrupt();
      }
      rank.join();                                        // throws where the test's timeout has interrupted this
      assertThat(routed).hasValue(500);
    }
  }

  /** More concurrent calls than the socket's buffer: the rest is sent later, in order. */
  @Test
  void callsThatTheSocketDoesNotTakeAtOnceAreSentInTheirOrder() {
    node.overrides.put(Verb.ROUTE, Future::succeededFuture);
    List<Integer> numbers = IntStream.range(0, 40).boxed().toList();
    SocketTransport transport = SocketTransport.connect(options.socket());
    try {
      String filler = "x".repeat(1 << 16);
      SessionTest.await(CompletableFuture.allOf(numbers.stream().map(number -> transport.request(
          Verb.ROUTE, Map.of("number", number, "filler", filler))).toArray(CompletableFuture[]::new)));
    } finally {
      transport.close();
    }
    assertThat(node.received).extracting(call -> call.body().getInteger("number")).isEqualTo(numbers);
  }

  @Test
  void aCallThatCannotBeSaidFailsAndDoesNotWait() {
    SocketTransport transport = SocketTransport.connect(options.socket());
    try {
      for (int i = 0; i <= Limits.MAX_CALLS_IN_FLIGHT; i++) {
        ScrException failure = SessionTest.failure(transport.request(Verb.ROUTE, Map.of("name", "\ud800")));
        assertThat(failure.fault()).isEqualTo(Fault.BAD_REQUEST);
      }
      assertThat(SessionTest.await(transport.request(Verb.ALIVE, Map.of()))).isEmpty();
    } finally {
      transport.close();
    }
  }

  /** A daemon that sends invalid answers, or dies in the middle of one: no call may wait for it. */
  @Test
  void noAnswerOfABrokenDaemonLeavesACallWaiting() throws Exception {
    byte[][] answers = {
        {}, {0, 0}, {0, 0, 0, 0}, {-1, -1, -1, -1}, {0, 0, 0, 9, '{'}, {0, 0, 0, 1, '{'}, {0, 0, 0, 2, '{', '}'},
        {0, 0, 0, 2, '[', ']'}, framed("{\"type\":\"err\",\"message\":\"access_denied\"}"),
        framed("{\"type\":\"message\",\"address\":\"x\",\"body\":{}}"), framed("{\"type\":\"message\",\"body\":{}}"),
        framed("{\"type\":\"message\",\"address\":\"1\",\"body\":3}"), framed("{\"type\":3}"),
        framed("{\"type\":\"message\",\"address\":\"1\",\"body\":null}"),
        framed("{\"type\":\"message\",\"address\":null,\"body\":{}}"),
        framed("{\"type\":\"err\",\"address\":\"1\",\"failureCode\":null,\"message\":\"x\"}"),
        framed("{\"type\":\"err\",\"address\":\"1\",\"failureCode\":3,\"message\":null}"),
        framed("{\"type\":\"err\",\"address\":\"1\",\"failureCode\":4294967299,\"message\":\"x\"}"),
        framed("{\"type\":\"err\",\"address\":[],\"failureCode\":3,\"message\":\"x\"}")};
    Path path = directory.resolve("broken.sock");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(path));
      for (byte[] answer : answers) {
        Thread daemon = Thread.ofPlatform().start(() -> answerOnce(server, answer));
        ScrException failure = catchThrowableOfType(ScrException.class,
            () -> Scr.open(new ScrOptions(path, 0, 1, directory, "")));
        assertThat(failure).as(new String(answer)).isNotNull();
        assertThat(failure.fault()).isIn(Fault.NODE_LOST, Fault.INTERNAL);
        daemon.join();
      }
    }
  }

  @Test
  void aProgramThatIsKilledInTheMiddleOfACallIsNoticed() throws Exception {
    node.hang(Verb.START_OUTPUT);
    Process program = program("SCR_JOB_NAME", "job").redirectErrorStream(true).start();
    try {
      Eventually.holds("the call is there", () -> node.received.size() >= 2 || !program.isAlive());
      assertThat(node.received.getLast().verb()).isEqualTo(Verb.START_OUTPUT);
      assertThat(closed).isEmpty();
    } finally {
      program.destroyForcibly();
    }
    assertThat(closed.poll(60, TimeUnit.SECONDS)).isEqualTo(node.received.getLast().clientId());
  }

  private ProcessBuilder program(String variable, String value) {
    ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
        Program.class.getName()).redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(Map.of("SCR_SOCKET", options.socket().toString(), "SCR_RANK", "0", "SCR_RANKS", "1",
        "SCR_PREFIX", directory.toString(), variable, value));
    return builder;
  }

  /** The program that is killed. */
  static final class Program {
    public static void main(String[] arguments) {
      try (Scr scr = Scr.fromEnvironment()) {
        scr.startCheckpoint("a");
      }
    }
  }

  /** As it is with ranks that come late: init is answered once the daemon has been asked for whom it waits. */
  @Test
  void anInitThatWaitsLongAsksTheDaemonWhatFor() {
    Promise<Object> begun = Promise.promise();
    node.overrides.put(Verb.INIT, _ -> begun.future());
    node.overrides.put(Verb.INIT_WAIT, _ -> {
      begun.complete(new InitReply(77, "n1", InitReply.VERSION, "fake 1.0"));
      return Future.failedFuture(new ScrException(Fault.NOT_AUTHORIZED, "as a daemon that does not know it"));
    });
    ScrOptions patient = new ScrOptions(options.socket(), 2, 3, directory, "job",
        new TreeMap<>(Map.of("SCR_INIT_NOTICE_SECONDS", "1")), List.of());
    Scr.open(patient).close();
    assertThat(node.received).extracting(FakeNode.Received::verb).containsExactly(Verb.INIT, Verb.INIT_WAIT);
    assertThat(node.received.getLast().body()).isEqualTo(new JsonObject().put("waitedSeconds", 1));
  }

  @Test
  void aProgramSaysOnStandardErrorWhatItsInitWaitsFor() throws Exception {
    node.hang(Verb.INIT);
    node.overrides.put(Verb.INIT_WAIT, _ -> Future.succeededFuture(new DoneReply(Optional.of(List.of("rank 3")))));
    Process program = program("SCR_INIT_NOTICE_SECONDS", "1").start();
    try (BufferedReader error = program.errorReader()) {
      assertThat(error.readLine()).isEqualTo("scr: rank 3");
    } finally {
      program.destroyForcibly();
    }
  }

  private static byte[] framed(String json) {
    return ByteBuffer.allocate(4 + json.length()).putInt(json.length()).put(json.getBytes()).array();
  }

  private static void answerOnce(ServerSocketChannel server, byte[] answer) {
    try (SocketChannel channel = server.accept()) {
      channel.read(ByteBuffer.allocate(1000));
      channel.write(ByteBuffer.wrap(answer));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertRefused(Runnable call, Fault fault, String why) {
    ScrException failure = catchThrowableOfType(ScrException.class, call::run);
    assertThat(failure).as("refused").isNotNull();
    assertThat(failure.fault()).isEqualTo(fault);
    assertThat(failure).hasMessageContaining(why);
  }
}
