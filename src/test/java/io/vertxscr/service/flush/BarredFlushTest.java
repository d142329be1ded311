package io.vertxscr.service.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: no flush of a dataset begins while it is being deleted. In virtual time. */
class BarredFlushTest {
  private final VirtualTime time = new VirtualTime(new Random(1));
  private final Loop loop = time.loop();
  private final FlushShares shares =
      new FlushShares(new FlushPolicy(0, false, 1, 0, FlushDescriptor.FILES), loop::nanoTime, _ -> {});
  /** Without the nodes of a cluster: no flush gets as far as to ask one. */
  private final FlushCoordinator flushes = new FlushCoordinator(loop, null, null, shares, null, _ -> {});

  private Future<Void> deletion(Promise<Void> end) {
    return time.await(loop.call(() -> Future.succeededFuture(flushes.without(5, end::future)))).result();
  }

  private Fault refused() {
    return Fault.of(time.await(loop.call(() -> flushes.flush(5))).cause());
  }

  @Test
  void untilTheLastOfTwoDeletionsHasEnded() {
    Promise<Void> first = loop.promise();
    Promise<Void> second = loop.promise();
    deletion(first);
    Future<Void> last = deletion(second);
    loop.later(first::complete);
    assertThat(refused()).isEqualTo(Fault.NO_SUCH_DATASET);
    loop.later(second::complete);
    assertThat(time.await(last).succeeded()).isTrue();
  }
}
