package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertx.junit5.VertxExtension;
import io.vertxscr.model.Scheme;
import io.vertxscr.protocol.node.NodeVerb;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what a node has asked before it stopped has no effect on a later life of the cluster. Method: a leader that
 * stops while it takes over; the other node hears of that, and answers, when a run of their later lives is on.
 */
@ExtendWith(VertxExtension.class)
class StoppedNodeTest {
  private static final String[] NODES = {"n1", "n2"};

  @TempDir
  Path directory;

  @Test
  void aTakeoverThatIsAnsweredAfterItsLeaderHasStoppedEndsNoRun(Vertx vertx) throws Exception {
    CompletableFuture<DeliveryContext<Buffer>> held = new CompletableFuture<>();
    vertx.eventBus().<Buffer>addOutboundInterceptor(delivery -> {
      boolean isHeld = delivery.message().address().equals(NodeVerb.TAKEOVER.address("n2")) && held.complete(delivery);
      if (!isHeld) {
        delivery.next();
      }
    });
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), NODES)) {
      DeliveryContext<Buffer> takeover = held.get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      List.of(NODES).forEach(cluster.nodes()::stop);
      List.of(NODES).forEach(cluster.nodes()::start);
      AtomicBoolean released = new AtomicBoolean();
      CompletableFuture<Void> answered = new CompletableFuture<>();
      vertx.eventBus().addInboundInterceptor(delivery -> {
        if (delivery.message().address().equals(takeover.message().replyAddress())) {
          answered.complete(null);
        }
        delivery.next();
      });
      List<Integer> written = cluster.all(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, 3);
        if (released.compareAndSet(false, true)) {
          takeover.next();
        }
        answered.get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        RankProgram.checkpoint(scr, cluster.prefix(), 2, 3);
        scr.finish();
        return 2;
      }, NODES);
      assertThat(written).containsExactly(2, 2);
    }
  }
}
