package io.vertxscr.cluster.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.FakeNode;
import io.vertxscr.cluster.accept.GuardedTransport;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.protocol.Frames;
import io.vertxscr.verticle.BridgeVerticle;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: over TCP only the daemon's owner is admitted. Thousands of applications are served concurrently. */
@Timeout(60)
class TcpBridgeTest {
  private static final int MANY = 2_000;

  @TempDir
  Path directory;
  private final Vertx vertx = Vertx.builder().withTransport(new GuardedTransport()).build();
  private final FakeNode node = new FakeNode("n1");
  private final BlockingQueue<String> closed = new LinkedBlockingQueue<>();
  private Path socket;
  private InetSocketAddress address;
  private String token;

  @BeforeEach
  void deploy() throws IOException {
    socket = directory.resolve("scr.sock");
    await(vertx.deployVerticle(node));
    await(vertx.deployVerticle(new BridgeVerticle("n1", socket, OptionalInt.of(0), closed::add)));
    String[] words = Files.readString(directory.resolve("scr.tcp")).strip().split("[: ]");
    address = new InetSocketAddress(words[0], Integer.parseInt(words[1]));
    token = words[2];
  }

  @AfterEach
  void close() {
    await(vertx.close());
    assertThat(directory).isEmptyDirectory();
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(30, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whoDoesNotShowTheTokenIsOneOfFewAndNotForLong() throws IOException {
    List<RawClient> strangers = new ArrayList<>();
    try {
      for (int i = 0; i < Limits.MAX_STRANGERS + 20; i++) {
        strangers.add(new RawClient(address));
      }
      try (RawClient client = new RawClient(address)) {
        client.frame(shown(token));
        assertThat(client.call("scr._.status", new JsonObject()).getString("type")).isEqualTo(Frames.MESSAGE);
        for (RawClient stranger : strangers) {
          assertThat(stranger.read()).as("closed without a word").isEmpty();
        }
        assertThat(client.call("scr._.status", new JsonObject()).getString("type")).isEqualTo(Frames.MESSAGE);
      }
    } finally {
      for (RawClient stranger : strangers) {
        stranger.close();
      }
    }
  }

  private static JsonObject shown(String token) {
    return new JsonObject().put("type", "token").put("token", token);
  }

  @Test
  void whoeverShowsTheTokenIsServed() throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("scr.tcp"))))
        .isEqualTo("rw-------");
    assertThat(address.getAddress().isLoopbackAddress()).isTrue();
    try (RawClient client = new RawClient(address)) {
      client.frame(shown(token));
      assertThat(client.call("scr._.status", new JsonObject()).getString("type")).isEqualTo("message");
    }
  }

  @Test
  void everybodyElseHearsWhyOnceAndIsShutOut() throws IOException {
    List<JsonObject> wrong = new ArrayList<>(List.of(shown(""), shown("x"), shown(token.substring(1)),
        shown(token + "0"), shown(token.toUpperCase(Locale.ROOT) + "G"), new JsonObject(),
        new JsonObject().put("token", token),
        new JsonObject().put("type", "token"), new JsonObject().put("type", "token").put("token", 5),
        Frames.send("scr._.status", "r", new JsonObject()).put("token", token)));
    for (int i = 0; i < token.length(); i++) {
      wrong.add(shown(token.substring(0, i) + (token.charAt(i) == '0' ? '1' : '0') + token.substring(i + 1)));
    }
    for (JsonObject first : wrong) {
      try (RawClient client = new RawClient(address)) {
        client.frame(first);
        assertThat(client.read().orElseThrow().getInteger("failureCode")).as(first.encode())
            .isEqualTo(Fault.BAD_REQUEST.number());
        assertThat(client.read()).isEqualTo(Optional.empty());
      }
    }
    assertThat(node.received).isEmpty();
  }

  @Test
  void aStrangerMakesTheDaemonKeepNothing() throws IOException {
    try (RawClient client = new RawClient(address)) {
      client.bytes(new byte[] {0, 16, 0, 0});             // a frame of a megabyte is announced
      assertThat(client.read().orElseThrow().getString("message")).contains("expected 1 to 1024");
      assertThat(client.read()).isEmpty();
    }
  }

  @Test
  void twoThousandApplicationsAreServedAtOnceAndEachThatGoesIsNoticed() throws Exception {
    List<RawClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < MANY; i++) {
        clients.add(new RawClient(socket));
      }
      for (RawClient client : clients) {
        client.frame(Frames.send("scr._.status", "r", new JsonObject()));
      }
      for (RawClient client : clients) {
        assertThat(client.read().orElseThrow().getString("type")).isEqualTo("message");
      }
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
    }
    for (int i = 0; i < MANY; i++) {
      assertThat(closed.poll(30, TimeUnit.SECONDS)).isNotNull();
    }
    assertThat(node.received.stream().map(FakeNode.Received::clientId).distinct()).hasSize(MANY);
  }
}
