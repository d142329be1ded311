package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Scheme;
import io.vertxscr.protocol.node.Restoring.Fetch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import io.vertxscr.service.data.FetchService;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.NodeDirectories;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: no more ranks' files are read in the prefix directory at once than SCR_FETCH_WIDTH says. */
class FetchWidthTest extends EmbeddedTest {
  private static final String[] RANKS = {"n1", "n1", "n1", "n2", "n2", "n3"};

  /** Readers that are allowed to nodes that have not answered yet, by the address of their answer. */
  private final Map<String, Integer> allowed = new ConcurrentHashMap<>();
  private final AtomicInteger most = new AtomicInteger();
  private final AtomicInteger nodes = new AtomicInteger();

  private void sent(DeliveryContext<Object> sent) {
    if (sent.message().address().endsWith(".node.fetch")) {
      int readers = ((Buffer) sent.body()).toJsonObject().getJsonObject("how").getInteger("readers");
      allowed.put(sent.message().replyAddress(), readers);
      most.accumulateAndGet(allowed.values().stream().mapToInt(Integer::intValue).sum(), Math::max);
      nodes.incrementAndGet();
    }
    allowed.remove(sent.message().address());
    sent.next();
  }

  /** Method: the messages to the nodes are watched, from each question to its answer. */
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2", "8, 6", "256, 255"})
  void allNodesTogetherMayReadAsManyRanksAtOnceAsTheWidthSays(int width, int used) throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR).flushing(1, false)
        .with("SCR_FETCH_WIDTH", "" + width).with("SCR_DISTRIBUTE", "0"), "n1", "n2", "n3")) {
      cluster.steps(1, 1, RANKS);
      Handler<DeliveryContext<Object>> listener = this::sent;
      vertx.eventBus().addOutboundInterceptor(listener);
      try {
        assertThat(cluster.restart(RANKS)).isEqualTo(1);
      } finally {
        vertx.eventBus().removeOutboundInterceptor(listener);
      }
      assertThat(most).hasValue(used);
      assertThat(nodes).hasValue(3);
      assertThat(allowed).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aNodeReadsNoMoreRanksAtOnceThanItIsAllowed(boolean inPlace) throws Exception {
    DatasetRecord record = flushed();
    AtomicInteger reading = new AtomicInteger();
    AtomicInteger mostReading = new AtomicInteger();
    CountDownLatch hold = new CountDownLatch(1);
    Loop loop = new Loop(vertx, (what, work) -> onItsOwnThread(() -> {
      if (!what.startsWith(inPlace ? "check" : "fetch")) {
        return work.call();
      }
      mostReading.accumulateAndGet(reading.incrementAndGet(), Math::max);
      assertThat(hold.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
      Object result = work.call();
      reading.decrementAndGet();
      return result;
    }));
    DatasetStore store = DatasetStore.open(new NodeDirectories(directory.resolve("c2"), directory.resolve("c3")));
    var fetched = loop.call(() -> new FetchService(loop, store, Observer.NONE).fetch(new Fetch(
        record.descriptor(), record.origin(),
        directory.resolve("c2").toString(), record.redundancy(), List.of(0, 1, 2, 3, 4, 5),
        new Fetch.How(inPlace, false, 2))));
    Eventually.holds("two ranks are read", () -> reading.get() == 2);
    hold.countDown();
    fetched.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
    assertThat(mostReading).hasValue(2);
    assertThat(store.list()).hasSize(inPlace ? 0 : 1);
  }

  /** A dataset of six ranks in the prefix directory. */
  private DatasetRecord flushed() throws Exception {
    try (TestCluster cluster =
        new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.SINGLE).flushing(1, false), "n1")) {
      cluster.steps(1, 1, "n1", "n1", "n1", "n1", "n1", "n1");
      return cluster.record("n1", 1);
    }
  }

  private static CompletableFuture<Object> onItsOwnThread(Callable<Object> work) {
    CompletableFuture<Object> done = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> {
      try {
        done.complete(work.call());
      } catch (Exception e) {
        done.completeExceptionally(e);
      }
    });
    return done;
  }
}
