package io.vertxscr.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.app.DoneReply;
import io.vertxscr.protocol.app.InitReply;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.protocol.app.NeedCheckpointReply;
import io.vertxscr.protocol.app.StartReply;
import io.vertxscr.verticle.BridgeVerticle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: the asynchronous client says what the node says, and refuses by itself what is not legal. Both transports. */
class SessionTest {
  enum Way { SOCKET, BUS }

  @TempDir
  Path directory;
  private final Vertx vertx = Vertx.vertx();
  private final FakeNode node = new FakeNode("n1");
  private final List<ScrClient> clients = new ArrayList<>();
  private String deployment;

  @BeforeEach
  void deploy() {
    deployment = await(vertx.deployVerticle(node));
  }

  @AfterEach
  void close() {
    clients.forEach(ScrClient::close);
    await(vertx.close());
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void questionsHaveNumbersOfTheirOwnAndOneThatFailedKeepsIts(Way way) {
    Session session = session(way);
    assertThat(await(session.needCheckpoint())).isFalse();
    assertThat(await(session.needCheckpoint())).isTrue();
    node.fail(Verb.NEED_CHECKPOINT, Fault.TIMEOUT, "late");
    assertThat(failure(session.needCheckpoint())).hasMessageContaining("late");
    node.overrides.clear();
    assertThat(await(session.needCheckpoint())).isFalse();
    assertThat(await(session.shouldExit()).exit()).isFalse();
    assertThat(node.received.stream().filter(call -> call.verb() == Verb.NEED_CHECKPOINT)
        .map(call -> call.body().getInteger("call"))).containsExactly(1, 2, 3, 3);
    await(session.finish());
    assertWrongState(session.shouldExit(), "has ended");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void everyVerbMakesItsRoundTripAndCallsAreNumberedFromOne(Way way) {
    Session session = session(way);

    Phase restart = await(session.restart()).orElseThrow();
    assertThat(restart.dataset()).isEqualTo(4);
    assertThat(restart.directory()).isEqualTo(Path.of("/cache/4"));
    assertThat(await(restart.complete(true)).name()).isEqualTo("before");
    Phase output = await(session.startOutput(Optional.of("a"), DatasetFlags.CHECKPOINT_AND_OUTPUT));
    assertThat(output.name()).isEqualTo("a");
    assertThat(await(output.route("x/y"))).isEqualTo(Path.of("/cache/5/x/y"));
    assertThat(await(output.complete(true)).dataset()).isEqualTo(5);
    Phase unnamed = await(session.startOutput(Optional.empty(), DatasetFlags.OUTPUT));
    assertThat(unnamed.name()).isEqualTo("scr.dataset.5");
    await(unnamed.complete(true));
    assertThat(await(session.route("plain"))).isEqualTo(Path.of("/cache/5/plain"));
    assertThat(session.version()).isEqualTo("fake 1.0");
    await(session.finish());
    assertThat(await(clients.getFirst().status()).get("node")).isEqualTo("n1");

    assertThat(node.received.stream().map(FakeNode.Received::verb).toList()).containsExactly(Verb.INIT,
        Verb.HAVE_RESTART, Verb.START_RESTART, Verb.COMPLETE_RESTART, Verb.START_OUTPUT, Verb.ROUTE,
        Verb.COMPLETE_OUTPUT, Verb.START_OUTPUT, Verb.COMPLETE_OUTPUT, Verb.ROUTE, Verb.FINALIZE, Verb.STATUS);
    assertThat(node.calls()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
    assertThat(node.received).allSatisfy(it ->
        assertThat(it.clientId()).startsWith(way == Way.SOCKET ? "bridge:1" : "member:local/"));
    assertThat(node.received.get(5).body().getString("directory")).isEqualTo(Path.of("").toAbsolutePath().toString());
    assertThat(node.received.get(4).body().getInteger("flags")).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aListenerThatThrowsTakesNoAnswerFromItsCallAndHearsTheNextRemark(Way way) {
    Session session = session(way);
    List<String> heard = new CopyOnWriteArrayList<>();
    session.onRemark(remark -> {
      heard.add(remark);
      if (heard.size() % 2 == 0) {
        throw new AssertionError("of the application");
      }
      throw new IllegalStateException("of the application");
    });
    Optional<List<String>> remarks = Optional.of(List.of("one", "two"));
    node.overrides.put(Verb.NEED_CHECKPOINT,
        _ -> Future.succeededFuture(new NeedCheckpointReply(true, OptionalLong.empty(), remarks)));
    node.overrides.put(Verb.START_OUTPUT, _ -> Future.succeededFuture(
        new StartReply(5, "a", "/cache/5", OptionalInt.empty(), Optional.empty(), OptionalInt.empty(), remarks)));

    assertThat(await(session.needCheckpoint())).isTrue();
    Phase phase = await(start(session));
    assertThat(heard).containsExactly("one", "two", "one", "two");
    assertThat(session.remarks()).isEqualTo(heard);
    assertThat(await(phase.complete(true)).dataset()).isEqualTo(5);
    await(session.finish());
    assertThat(node.calls()).containsExactly(1L, 2L, 3L);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aListenerMayWaitForAThreadThatUsesTheSession(Way way) {
    Session session = session(way);
    List<String> heard = new CopyOnWriteArrayList<>();
    session.onRemark(remark -> heard.add(remark + elsewhere(session::remarks)));
    node.overrides.put(Verb.NEED_CHECKPOINT, _ -> Future.succeededFuture(
        new NeedCheckpointReply(true, OptionalLong.empty(), Optional.of(List.of("one", "two")))));
    assertThat(await(session.needCheckpoint())).isTrue();
    assertThat(heard).containsExactly("one[one, two]", "two[one, two]");
  }

  /** On the thread of the caller, who may be the listener. */
  @Test
  void remarksOfAnswersThatAreThereAtOnceAreToldInOrderAndOutsideOfTheLock() {
    Session session = new Session(new ReadyAnswers(), new ScrOptions(Path.of("/s"), 0, 1, Path.of("/p"), "").init(),
        new InitReply(77, "n1", InitReply.VERSION, "fake 1.0"));
    List<String> heard = new CopyOnWriteArrayList<>();
    session.onRemark(remark -> {
      heard.add(remark + elsewhere(session::remarks).size());
      if (heard.size() == 1) {
        await(session.haveRestart());
      }
    });
    await(session.needCheckpoint());
    assertThat(heard).containsExactly("a of need-checkpoint2", "b of need-checkpoint4", "a of have-restart4",
        "b of have-restart4");
  }

  private static <T> T elsewhere(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call).orTimeout(20, TimeUnit.SECONDS).join();
  }

  /** Every question has its answer when it returns: no, with two remarks. */
  private static final class ReadyAnswers implements Transport {
    @Override
    public CompletableFuture<Map<String, Object>> request(Verb verb, Map<String, Object> body) {
      return CompletableFuture.completedFuture(Map.of(verb == Verb.HAVE_RESTART ? "available" : "need", false,
          "remarks", List.of("a of " + verb.wireName(), "b of " + verb.wireName())));
    }

    @Override
    public void onClosed(Consumer<ScrException> listener) {
      // It is never lost.
    }

    @Override
    public void close() {
      // There is nothing to close.
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void everyFaultOfTheNodeArrivesWithItsSentence(Way way) {
    Session session = session(way);
    for (Fault fault : Fault.values()) {
      node.fail(Verb.ROUTE, fault, "because of " + fault);
      ScrException failure = failure(session.route("x"));
      assertThat(failure.fault()).isEqualTo(fault);
      assertThat(failure).hasMessage("because of " + fault);
    }
    node.overrides.put(Verb.ROUTE, _ -> {
      throw new IllegalStateException("a bug");
    });
    assertThat(failure(session.route("x")).fault()).isEqualTo(Fault.INTERNAL);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void callsAreNumberedOnlyOnceWhenTheOutcomeIsUnknown(Way way) {
    Session session = session(way);
    for (Fault fault : List.of(Fault.BUSY, Fault.TIMEOUT, Fault.STOPPING)) {
      node.fail(Verb.START_OUTPUT, fault, "later");
      assertThat(failure(start(session)).fault()).isEqualTo(fault);
    }
    assertThat(failure(session.finish())).hasMessageContaining("start-output is unknown");
    node.overrides.clear();
    Phase phase = await(start(session));
    node.fail(Verb.COMPLETE_OUTPUT, Fault.TIMEOUT, "later");
    assertThat(failure(phase.complete(true)).fault()).isEqualTo(Fault.TIMEOUT);
    assertThat(phase.isOpen()).isTrue();
    node.overrides.clear();
    await(phase.complete(true));
    assertThat(node.calls()).containsExactly(1L, 1L, 1L, 1L, 2L, 2L);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aPhaseIsOverAfterEveryDefiniteAnswerAndOpenAfterEveryRefusal(Way way) {
    Session session = session(way);
    EnumSet<Fault> open = EnumSet.of(Fault.TIMEOUT, Fault.BUSY, Fault.STOPPING, Fault.BAD_REQUEST,
        Fault.WRONG_STATE, Fault.UNKNOWN_RANK, Fault.RANKS_DISAGREE);
    for (Fault fault : Fault.values()) {
      Phase phase = await(start(session));
      node.fail(Verb.COMPLETE_OUTPUT, fault, "no");
      failure(phase.complete(true));
      assertThat(phase.isOpen()).as("after %s", fault).isEqualTo(open.contains(fault));
      node.overrides.clear();
      if (phase.isOpen()) {
        await(phase.complete(true));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void whatIsNotLegalFailsHereAndIsNotSent(Way way) {
    Session session = session(way);
    Phase phase = await(start(session));
    int sent = node.received.size();
    assertWrongState(start(session), "dataset 5 'a' is open");
    assertWrongState(session.restart(), "is open");
    assertWrongState(session.finish(), "is open");
    assertWrongState(session.route("x"), "route on the phase");
    assertThat(node.received).hasSize(sent);
    node.hang(Verb.COMPLETE_OUTPUT);
    CompletableFuture<?> completing = phase.complete(true);
    assertWrongState(phase.complete(true), "complete-output is under way");
    assertWrongState(phase.route("x"), "is complete");
    assertThat(completing.isDone()).isFalse();

    node.overrides.clear();
    Session second = session(way);
    Phase done = await(start(second));
    await(done.complete(true));
    assertWrongState(done.complete(true), "dataset 5 'a' is complete");
    assertWrongState(done.route("x"), "is complete");
    await(second.finish());
    assertWrongState(start(second), "has ended");
    int before = node.received.size();
    assertThat(await(second.route("a/../b"))).isEqualTo(Path.of("a/../b"));
    assertThat(node.received).hasSize(before);
    assertWrongState(second.finish(), "has ended");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void fieldsOutOfRangeAreRefusedHereAndUseNoNumber(Way way) {
    Session session = session(way);
    assertThat(failure(session.startOutput(Optional.of(""), DatasetFlags.OUTPUT)).fault()).isEqualTo(Fault.BAD_REQUEST);
    assertThat(failure(session.route("")).fault()).isEqualTo(Fault.BAD_REQUEST);
    await(start(session));
    assertThat(node.calls()).containsExactly(1L);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void answersFindTheirCallsWhateverTheirOrder(Way way) {
    Session session = session(way);
    List<Promise<Object>> promises = new ArrayList<>();
    List<JsonObject> bodies = new ArrayList<>();
    int calls = 500;
    node.overrides.put(Verb.ROUTE, body -> {
      Promise<Object> promise = Promise.promise();
      promises.add(promise);
      bodies.add(body);
      if (promises.size() == calls) {
        for (int i = calls - 1; i >= 0; i--) {
          promises.get(i).complete(new JsonObject().put("file", "/" + bodies.get(i).getString("name")));
        }
      }
      return promise.future();
    });
    List<CompletableFuture<Path>> routed = IntStream.range(0, calls).mapToObj(i -> session.route("f" + i)).toList();
    for (int i = 0; i < calls; i++) {
      assertThat(await(routed.get(i))).isEqualTo(Path.of("/f" + i));
    }
    assertThat(bodies.stream().map(body -> body.getString("name")).toList())
        .isEqualTo(IntStream.range(0, calls).mapToObj(i -> "f" + i).toList());
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void callsBeyondTheLimitAreBusyAndTheOthersAreAnswered(Way way) {
    Session session = session(way);
    Promise<Object> open = Promise.promise();
    node.overrides.put(Verb.ROUTE, _ -> open.future());
    List<CompletableFuture<Path>> routed = IntStream.range(0, 1024).mapToObj(i -> session.route("f" + i)).toList();
    assertThat(failure(session.route("one too many")).fault()).isEqualTo(Fault.BUSY);
    open.complete(new JsonObject().put("file", "/" + "x".repeat(8_000)));
    for (CompletableFuture<Path> route : routed) {
      assertThat(await(route).toString()).hasSize(8_001);
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aNodeThatGoesAwayFailsTheCallsThatWaitAndAllLaterOnes(Way way) throws InterruptedException {
    Session session = session(way);
    BlockingQueue<ScrException> closed = new LinkedBlockingQueue<>();
    clients.getFirst().onClosed(closed::add);
    node.hang(Verb.START_OUTPUT);
    CompletableFuture<Phase> waiting = start(session);
    CompletableFuture<Path> answered = session.route("x");
    await(answered);

    await(way == Way.SOCKET ? vertx.close() : vertx.undeploy(deployment));

    assertThat(failure(waiting).fault()).isEqualTo(Fault.NODE_LOST);
    assertThat(failure(session.route("y")).fault()).isEqualTo(Fault.NODE_LOST);
    ScrException told = closed.poll(60, TimeUnit.SECONDS);
    assertThat(told.fault()).isEqualTo(Fault.NODE_LOST);
    assertThat(told.getMessage()).contains(way == Way.SOCKET ? "scr.sock" : "n1");
  }

  @Test
  void whileACallWaitsTheNodeIsAskedOnlyWhetherItIsThere() {
    Session session = session(Way.BUS);
    node.hang(Verb.START_OUTPUT);
    Promise<Void> asked = Promise.promise();
    node.overrides.put(Verb.ALIVE, _ -> {
      asked.tryComplete();
      return Future.succeededFuture(new DoneReply());
    });
    CompletableFuture<Phase> waiting = start(session);
    await(asked.future());
    assertThat(waiting.isDone()).isFalse();
    assertThat(node.received).extracting(FakeNode.Received::verb)
        .containsExactly(Verb.INIT, Verb.START_OUTPUT, Verb.ALIVE);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void closingFailsTheCallsThatWait(Way way) {
    Session session = session(way);
    node.hang(Verb.START_OUTPUT);
    CompletableFuture<Phase> waiting = start(session);
    clients.getFirst().close();
    clients.getFirst().close();
    assertThat(failure(waiting)).hasMessageContaining("closed by this process");
    assertThat(failure(session.route("x")).fault()).isEqualTo(Fault.NODE_LOST);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aHandlerThatThrowsDoesNotStopTheNextAnswers(Way way) {
    Session session = session(way);
    Promise<JsonObject> open = Promise.promise();
    node.overrides.put(Verb.ROUTE, _ -> open.future());
    session.route("x").thenAccept(_ -> {
      throw new IllegalStateException("thrown by a handler of the test");
    });
    CompletableFuture<Path> next = session.route("y");
    open.complete(new JsonObject().put("file", "/cache/5/y"));
    assertThat(await(next)).isEqualTo(Path.of("/cache/5/y"));
  }

  private Session session(Way way) {
    ScrClient client;
    if (way == Way.BUS) {
      client = new ScrClient(new BusTransport(vertx, "n1"));
    } else {
      Path socket = directory.resolve("scr.sock");
      if (clients.isEmpty()) {
        await(vertx.deployVerticle(new BridgeVerticle("n1", socket, _ -> { })));
      }
      client = ScrClient.connect(socket);
    }
    clients.add(client);
    return await(client.init(new InitRequest(0, 1, directory.toString(), "job")));
  }

  private static CompletableFuture<Phase> start(Session session) {
    return session.startOutput(Optional.of("a"), DatasetFlags.CHECKPOINT);
  }

  private static void assertWrongState(CompletableFuture<?> call, String why) {
    ScrException failure = failure(call);
    assertThat(failure.fault()).isEqualTo(Fault.WRONG_STATE);
    assertThat(failure).hasMessageContaining("rank 0").hasMessageContaining(why);
  }

  static <T> T await(Future<T> future) {
    return await(future.toCompletionStage().toCompletableFuture());
  }

  static <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(60, TimeUnit.SECONDS).join();
  }

  static ScrException failure(CompletableFuture<?> future) {
    Throwable cause = future.handle((_, failure) -> failure).orTimeout(60, TimeUnit.SECONDS).join();
    assertThat(cause).isInstanceOf(ScrException.class);
    return (ScrException) cause;
  }
}
