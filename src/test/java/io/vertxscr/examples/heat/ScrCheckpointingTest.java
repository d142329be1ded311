package io.vertxscr.examples.heat;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.FakeNode;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.app.HaveRestartReply;
import io.vertxscr.protocol.app.RouteReply;
import io.vertxscr.protocol.app.StartReply;
import io.vertxscr.verticle.BridgeVerticle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the solver uses the Java client correctly, over a real socket to a simulated node. */
@Timeout(60)
class ScrCheckpointingTest {
  /** After these the run goes on. */
  private static final Set<Fault> OF_ONE_CHECKPOINT = EnumSet.of(
      Fault.NOT_VALID, Fault.NO_SPACE, Fault.IO, Fault.CORRUPT, Fault.FILE_CHANGED, Fault.NO_SUCH_FILE);

  @TempDir private Path directory;
  private final Vertx vertx = Vertx.vertx();
  private final FakeNode node = new FakeNode("n1");
  private int runs;

  @BeforeEach
  void deploy() throws Exception {
    await(vertx.deployVerticle(node));
    await(vertx.deployVerticle(new BridgeVerticle("n1", directory.resolve("scr.sock"), _ -> {})));
    node.overrides.put(Verb.ROUTE, body -> Future.succeededFuture(new RouteReply(inCache(body).toString())));
    node.overrides.put(Verb.HAVE_RESTART, _ -> Future.succeededFuture(HaveRestartReply.NONE));
  }

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  @Test
  void aRunWritesItsCheckpointsAndTheNextStartsFromOneOfThem() {
    assertThat(run()).isZero();
    assertThat(verbs()).containsExactly(Verb.INIT, Verb.HAVE_RESTART, Verb.START_OUTPUT, Verb.ROUTE,
        Verb.COMPLETE_OUTPUT, Verb.START_OUTPUT, Verb.ROUTE, Verb.COMPLETE_OUTPUT, Verb.FINALIZE);
    assertThat(directory.resolve("cache/heat.2/rank_0.heat")).isNotEmptyFile();
    offer("heat.2");
    assertThat(run()).isZero();
    assertThat(verbs()).containsExactly(Verb.INIT, Verb.HAVE_RESTART, Verb.START_RESTART, Verb.ROUTE,
        Verb.COMPLETE_RESTART, Verb.START_OUTPUT, Verb.ROUTE, Verb.COMPLETE_OUTPUT, Verb.FINALIZE);
  }

  @Test
  void aCheckpointThatIsOfferedButMissingIsRefused() {
    offer("heat.2");
    node.overrides.put(Verb.COMPLETE_RESTART, body -> {
      assertThat(body.getBoolean("valid")).isFalse();
      node.overrides.put(Verb.HAVE_RESTART, _ -> Future.succeededFuture(HaveRestartReply.NONE));
      return Future.failedFuture(new ScrException(Fault.NOT_VALID, "rank 0 called it not valid"));
    });
    assertThat(run()).isZero();
    assertThat(verbs()).startsWith(Verb.INIT, Verb.HAVE_RESTART, Verb.START_RESTART, Verb.ROUTE,
        Verb.COMPLETE_RESTART, Verb.HAVE_RESTART, Verb.START_OUTPUT);
  }

  @Test
  void aFailedCheckpointEndsTheRunOnlyWhereNoneCanFollow() {
    for (Fault fault : Fault.values()) {
      node.fail(Verb.COMPLETE_OUTPUT, fault, "because of " + fault);
      assertThat(run()).as(fault.name()).isEqualTo(OF_ONE_CHECKPOINT.contains(fault) ? 0 : HeatMain.EXIT_LOST);
    }
  }

  /** Steps 2 and 4 are checkpointed. */
  private int run() {
    node.received.clear();
    runs++;
    return HeatMain.execute(new String[] {"--rank", "0", "--ranks", "1", "--size", "8", "--steps", "4",
        "--checkpoint-every", "2", "--rendezvous", directory.resolve("rendezvous" + runs).toString(),
        "--output", directory.resolve("output").toString(), "--socket", directory.resolve("scr.sock").toString(),
        "--prefix", directory.resolve("prefix").toString()}, ScrCheckpointing::open);
  }

  private List<Verb> verbs() {
    return node.received.stream().map(FakeNode.Received::verb).toList();
  }

  private void offer(String name) {
    node.overrides.put(Verb.HAVE_RESTART, _ -> Future.succeededFuture(HaveRestartReply.of(4, name)));
    node.overrides.put(Verb.START_RESTART, _ -> Future.succeededFuture(new StartReply(4, name, "/cache/4")));
  }

  /** Maps a path as a daemon does: the path below the prefix determines the one in the cache. */
  private Path inCache(JsonObject body) {
    Path inPrefix = directory.resolve("prefix").relativize(Path.of(body.getString("name")));
    Path file = directory.resolve("cache").resolve(inPrefix);
    try {
      Files.createDirectories(file.getParent());
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void await(Future<?> future) throws Exception {
    future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }
}
