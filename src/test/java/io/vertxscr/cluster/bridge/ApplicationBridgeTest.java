package io.vertxscr.cluster.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.FakeNode;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.Frames;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.app.DoneReply;
import io.vertxscr.protocol.app.InitReply;
import io.vertxscr.timing.Eventually;
import io.vertxscr.verticle.BridgeVerticle;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: applications reach the verbs of their node only, and none of their bytes affect others. */
@Timeout(60)
class ApplicationBridgeTest {
  @TempDir
  Path directory;
  private final Vertx vertx = Vertx.vertx();
  private final FakeNode node = new FakeNode("n1");
  private final BlockingQueue<String> closed = new LinkedBlockingQueue<>();
  private Path socket;
  private String nodeDeployment;
  private volatile Context bridgeLoop;

  @BeforeEach
  void deploy() {
    socket = directory.resolve("scr.sock");
    nodeDeployment = await(vertx.deployVerticle(node));
    await(vertx.deployVerticle(new BridgeVerticle("n1", socket, client -> {
      bridgeLoop = Vertx.currentContext();
      closed.add(client);
    })));
  }

  @AfterEach
  void close() {
    await(vertx.close());
  }

  @Test
  void onlyTheOwnerMayConnect() throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket))).isEqualTo("rw-------");
    try (var files = Files.list(directory)) {
      assertThat(files).containsExactly(socket);
    }
  }

  @Test
  void aPingIsAnsweredByTheNodeAndNotByItsSocket() throws IOException {
    Promise<Object> alive = Promise.promise();
    node.overrides.put(Verb.ALIVE, _ -> alive.future());
    try (RawClient client = new RawClient(socket)) {
      client.frame(new JsonObject().put("type", Frames.PING));
      client.frame(new JsonObject().put("type", Frames.PING));
      assertThat(client.call("scr._.status", new JsonObject()).getString("type"))
          .as("no pong before the node's loop has answered").isEqualTo(Frames.MESSAGE);
      alive.complete(new DoneReply());
      assertThat(client.read().orElseThrow().getString("type")).isEqualTo(Frames.PONG);
      assertThat(client.read().orElseThrow().getString("type")).as("one for each").isEqualTo(Frames.PONG);
    }
  }

  @Test
  void aPingToADaemonThatStartsOrStopsIsAnsweredToo() throws IOException {
    await(vertx.undeploy(nodeDeployment));
    try (RawClient client = new RawClient(socket)) {
      client.frame(new JsonObject().put("type", Frames.PING));
      assertThat(client.read().orElseThrow().getString("type")).isEqualTo(Frames.PONG);
    }
  }

  /** As after SIGSTOP and SIGCONT: the calls and the ends of connections are all there when the daemon goes on. */
  @Test
  void whoDiedWhileTheDaemonWasStoppedIsForgottenBeforeItsInitCounts() throws Exception {
    new RawClient(socket).close();
    assertThat(closed.take()).isEqualTo("bridge:1");
    List<String> knownByInit = new CopyOnWriteArrayList<>();
    node.overrides.put(Verb.INIT, _ -> {
      knownByInit.addAll(closed);
      return Future.succeededFuture(new InitReply(77, "n1", InitReply.VERSION, "fake 1.0"));
    });
    CountDownLatch goesOn = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    bridgeLoop.runOnContext(_ -> {
      stopped.countDown();
      awaitUninterruptibly(goesOn);
    });
    stopped.await();
    JsonObject init = new JsonObject().put("rank", 0);
    for (int i = 0; i < 10; i++) {
      try (RawClient dies = new RawClient(socket)) {
        dies.frame(Frames.send("scr._.init", "r", init));
      }
    }
    try (RawClient next = new RawClient(socket)) {
      next.frame(Frames.send("scr._.init", "r", init));
      goesOn.countDown();
      assertThat(next.read().orElseThrow().getString("type")).isEqualTo(Frames.MESSAGE);
    }
    assertThat(node.received).extracting(FakeNode.Received::clientId).containsExactly("bridge:12");
    assertThat(knownByInit).as("ended before it").hasSize(10);
  }

  private List<FakeNode.Received> received(Verb verb) {
    return node.received.stream().filter(call -> call.verb() == verb).toList();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void onlyVerbsOfThisNodeAreLetThrough() throws IOException {
    List<String> foreign = List.of("scr.n1.rebuild", "scr.n2.init", "scr.init", "scr.events", "", "x", "scr.n1.init.x",
        "scr..init", "__vertx.reply.999");
    for (String address : foreign) {
      vertx.eventBus().consumer(address.isEmpty() ? "none" : address, message -> message.reply(new JsonObject()));
    }
    try (RawClient client = new RawClient(socket)) {
      for (String address : foreign) {
        JsonObject answer = client.call(address, new JsonObject());
        assertThat(answer.getString("type")).as(address).isEqualTo("err");
        assertThat(answer.getInteger("failureCode")).isEqualTo(Fault.NOT_AUTHORIZED.number());
        assertThat(answer.getString("message")).startsWith("access_denied").contains("n1");
        assertThat(answer.getString("address")).isEqualTo("r");
      }
      for (String type : List.of("publish", "register", "unregister")) {
        client.frame(new JsonObject().put("type", type).put("address", "scr.n1.init").put("replyAddress", "q"));
        JsonObject answer = client.read().orElseThrow();
        assertThat(answer.getInteger("failureCode")).isEqualTo(Fault.NOT_AUTHORIZED.number());
        assertThat(answer.getString("address")).isEqualTo("q");
      }
      assertThat(node.received).isEmpty();
      JsonObject status = client.call("scr.n1.status", new JsonObject());
      assertThat(status.getJsonObject("body").getString("node")).isEqualTo("n1");
      assertThat(client.call("scr._.status", new JsonObject()).getString("type")).isEqualTo("message");
    }
  }

  @Test
  void theIdentityOfAConnectionCannotBeForged() throws IOException {
    try (RawClient first = new RawClient(socket); RawClient second = new RawClient(socket)) {
      for (RawClient client : List.of(first, second, first)) {
        client.frame(Frames.send("scr.n1.status", "r", new JsonObject())
            .put("headers", new JsonObject().put(Addresses.CLIENT_HEADER, "bridge:9").put("timeout", "no number")
                .put("codecName", "none").put("localOnly", 3)));
        assertThat(client.read().orElseThrow().getString("type")).isEqualTo("message");
      }
    }
    List<String> ids = node.received.stream().map(FakeNode.Received::clientId).toList();
    assertThat(ids.getFirst()).isEqualTo(ids.get(2)).isNotEqualTo(ids.get(1));
    assertThat(new HashSet<>(ids)).isEqualTo(Set.of("bridge:1", "bridge:2"));
  }

  @Test
  void wrongFieldsAreAnsweredAndTheConnectionGoesOn() throws IOException {
    try (RawClient client = new RawClient(socket)) {
      List<JsonObject> wrong = new ArrayList<>();
      JsonObject good = Frames.send("scr.n1.status", "r", new JsonObject());
      for (String field : good.fieldNames()) {
        for (Object value : Arrays.asList(null, 5, true, new JsonArray(), "nonsense", new JsonObject())) {
          JsonObject changed = good.copy().put(field, value);
          boolean stillGood = field.equals("body") && value instanceof JsonObject
              || field.equals("replyAddress") && value instanceof String;
          if (!stillGood) {
            wrong.add(changed);
          }
        }
        JsonObject without = good.copy();
        without.remove(field);
        wrong.add(without);
      }
      for (JsonObject frame : wrong) {
        client.frame(frame);
        JsonObject answer = client.read().orElseThrow();
        assertThat(answer.getString("type")).as(frame.encode()).isEqualTo("err");
        assertThat(answer.getValue("address"))
            .isEqualTo(frame.getValue("replyAddress") instanceof String text ? text : null);
      }
      client.frame(new JsonObject().put("type", "ping"));
      assertThat(client.read().orElseThrow().getString("type")).isEqualTo("pong");
    }
    assertThat(node.received).extracting(FakeNode.Received::verb).containsExactly(Verb.ALIVE);
  }

  @Test
  void bytesThatAreNoFrameAreAnsweredOnceAndTheConnectionIsClosed() throws Exception {
    List<byte[]> garbage = List.of(
        length(0), length(-1), length(Integer.MIN_VALUE), length(Limits.MAX_MESSAGE_BYTES + 1),
        length(Integer.MAX_VALUE), frame("{"), frame("[]"), frame("1"), frame("null"), frame("\"x\""), frame("{} x"),
        frame("[".repeat(100_000)), frame("{\"a\":".repeat(5_000)), new byte[] {0, 0, 0, 2, (byte) 0xc3, 0x28},
        "GET / HTTP/1.1\r\n\r\n".getBytes());
    for (byte[] bytes : garbage) {
      try (RawClient client = new RawClient(socket)) {
        client.bytes(bytes);
        JsonObject answer = client.read().orElseThrow();
        assertThat(answer.getString("type")).isEqualTo("err");
        assertThat(answer.getInteger("failureCode")).isEqualTo(Fault.BAD_REQUEST.number());
        assertThat(client.read()).isEmpty();
      }
      assertThat(closed.poll(60, TimeUnit.SECONDS)).isNotNull();
    }
  }

  @Test
  void framesInAnyPiecesAreUnderstoodAndTheLargestAllowedToo() throws IOException {
    byte[] call = Frames.encode(Frames.send("scr.n1.status", "r", new JsonObject()));
    try (RawClient client = new RawClient(socket)) {
      for (int cut = 1; cut < call.length; cut++) {
        client.bytes(Arrays.copyOf(call, cut));
        client.bytes(Arrays.copyOfRange(call, cut, call.length));
        assertThat(client.read().orElseThrow().getString("type")).isEqualTo("message");
      }
      String head = "{\"type\":\"send\",\"address\":\"scr.n1.status\",\"replyAddress\":\"r\",\"body\":{\"x\":\"";
      client.text(head + "x".repeat(Limits.MAX_MESSAGE_BYTES - head.length() - 3) + "\"}}");
      assertThat(client.read().orElseThrow().getString("type")).isEqualTo("message");
    }
  }

  /** Method: mutated calls of several clients, each interrupted at random. After each a bystander's call succeeds. */
  @Test
  void noGarbageHarmsABystander() throws Exception {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    byte[] call = Frames.encode(Frames.send("scr.n1.status", "r", new JsonObject().put("a", 1)));
    try (RawClient bystander = new RawClient(socket)) {
      int clients = 300;
      for (int i = 0; i < clients; i++) {
        try (RawClient client = new RawClient(socket)) {
          sendMutated(client, call, random);
        }
        JsonObject answer = bystander.call("scr.n1.status", new JsonObject().put("i", i));
        assertThat(answer.getString("type")).isEqualTo("message");
      }
      Set<String> ids = new HashSet<>();
      for (int i = 0; i < clients; i++) {
        ids.add(closed.poll(60, TimeUnit.SECONDS));
      }
      assertThat(ids).as("each client's end is told once").hasSize(clients).doesNotContainNull();
      assertThat(closed).isEmpty();
    }
  }

  private static void sendMutated(RawClient client, byte[] call, Random random) {
    try {
      for (int frames = 1 + random.nextInt(4); frames > 0; frames--) {
        byte[] bytes = Arrays.copyOf(call, random.nextInt(4) == 0 ? random.nextInt(call.length) : call.length);
        for (int flips = random.nextInt(4); flips > 0 && bytes.length > 0; flips--) {
          bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        client.bytes(bytes);
      }
    } catch (IOException _) {
      // The daemon has closed the connection already, as it may.
    }
  }

  @Test
  void theEndOfAConnectionIsToldAlsoInTheMiddleOfACall() throws Exception {
    Promise<Object> open = Promise.promise();
    node.overrides.put(Verb.INIT, _ -> open.future());
    try (RawClient silent = new RawClient(socket); RawClient caller = new RawClient(socket)) {
      caller.frame(Frames.send("scr.n1.init", "r", new JsonObject()));
      silent.frame(new JsonObject().put("type", "ping"));
      silent.read();
      Eventually.holds("the call is there", () -> !received(Verb.INIT).isEmpty());
      caller.close();
      assertThat(closed.poll(60, TimeUnit.SECONDS)).isEqualTo(received(Verb.INIT).getFirst().clientId());
      open.complete(new JsonObject());
      silent.frame(new JsonObject().put("type", "ping"));
      assertThat(silent.read().orElseThrow().getString("type")).isEqualTo("pong");
    }
    assertThat(closed.poll(60, TimeUnit.SECONDS)).isNotNull();
  }

  @Test
  void aNodeThatTakesNoCallsSaysSo() throws IOException {
    Path other = directory.resolve("other.sock");
    await(vertx.deployVerticle(new BridgeVerticle("n2", other, closed::add)));
    try (RawClient client = new RawClient(other)) {
      JsonObject answer = client.call("scr.n2.init", new JsonObject());
      assertThat(Fault.of(answer.getInteger("failureCode"))).isEqualTo(Fault.STOPPING);
      assertThat(answer.getString("message")).contains("n2");
    }
  }

  @Test
  void theSocketOfADeadDaemonIsReplacedAndThatOfALivingOneIsNot() throws IOException {
    Path stale = directory.resolve("stale.sock");
    try (ServerSocketChannel dead = ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)) {
      dead.bind(UnixDomainSocketAddress.of(stale));
    }
    assertThat(stale).exists();
    await(vertx.deployVerticle(new BridgeVerticle("n1", stale, closed::add)));
    try (RawClient client = new RawClient(stale)) {
      assertThat(client.call("scr.n1.status", new JsonObject()).getString("type")).isEqualTo("message");
    }
    assertThatThrownBy(() -> await(vertx.deployVerticle(new BridgeVerticle("n1", socket, closed::add))))
        .hasMessageContaining("another daemon listens");
    Path file = Files.writeString(directory.resolve("file"), "kept");
    assertThatThrownBy(() -> await(vertx.deployVerticle(new BridgeVerticle("n1", file, closed::add))))
        .hasMessageContaining("not a socket");
    assertThat(file).hasContent("kept");
    try (RawClient client = new RawClient(socket)) {
      assertThat(client.call("scr.n1.status", new JsonObject()).getString("type")).isEqualTo("message");
    }
  }

  @Test
  void stoppingEndsConnectionsWithoutCallingThemLostAndTakesTheSocketAway() throws IOException {
    Path other = directory.resolve("other.sock");
    String deployment = await(vertx.deployVerticle(new BridgeVerticle("n1", other, closed::add)));
    try (RawClient client = new RawClient(other)) {
      client.call("scr.n1.status", new JsonObject());
      await(vertx.undeploy(deployment));
      assertThat(client.read()).isEmpty();
    }
    assertThat(other).doesNotExist();
    assertThat(closed).isEmpty();
  }

  /** Each connection costs two descriptors here: of the client's end too. */
  @Test
  void applicationsBeyondTheLimitAreRefusedAndClosedOnesLeaveNoState() throws Exception {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      assumeTrue(system.getMaxFileDescriptorCount() > 3L * Limits.MAX_APPLICATION_CONNECTIONS,
          "too few file descriptors (ulimit -n): thousands of connections are not tested");
    }
    List<RawClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < Limits.MAX_APPLICATION_CONNECTIONS; i++) {
        clients.add(new RawClient(socket));
      }
      for (RawClient client : List.of(clients.getFirst(), clients.get(2000), clients.getLast())) {
        assertThat(client.call("scr.n1.status", new JsonObject()).getString("type")).isEqualTo("message");
      }
      try (RawClient refused = new RawClient(socket)) {
        JsonObject answer = refused.read().orElseThrow();
        assertThat(Fault.of(answer.getInteger("failureCode"))).isEqualTo(Fault.BUSY);
        assertThat(answer.getString("message")).contains("n1", "" + Limits.MAX_APPLICATION_CONNECTIONS);
        assertThat(refused.read()).isEmpty();
      }
      assertThat(closed).as("who was refused was never there").isEmpty();
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
    }
    Set<String> ended = new HashSet<>();
    for (RawClient _ : clients) {
      ended.add(closed.poll(60, TimeUnit.SECONDS));
    }
    assertThat(ended).hasSize(clients.size()).doesNotContainNull();
    try (RawClient next = new RawClient(socket)) {
      assertThat(next.call("scr.n1.status", new JsonObject()).getString("type")).isEqualTo("message");
    }
  }

  private static byte[] length(int bytes) {
    return ByteBuffer.allocate(4).putInt(bytes).array();
  }

  private static byte[] frame(String json) {
    return ByteBuffer.allocate(4 + json.length()).putInt(json.length()).put(json.getBytes()).array();
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }
}
