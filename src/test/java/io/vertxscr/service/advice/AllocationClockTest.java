package io.vertxscr.service.advice;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertxscr.node.VertxLoop;
import io.vertxscr.service.Loop;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: a batch system that does not answer keeps nobody waiting, and holds no thread. */
class AllocationClockTest {
  private final Vertx vertx = Vertx.vertx();
  private final Loop loop = new VertxLoop(vertx, (_, work) -> {
    try {
      return CompletableFuture.completedFuture(work.call());
    } catch (Exception e) {
      return CompletableFuture.failedFuture(e);
    }
  });

  @AfterEach
  void close() {
    vertx.close().await();
  }

  private AllocationClock asked(String... command) {
    AllocationClock clock = new AllocationClock(loop, () -> 0, Optional.of(List.of(command)), 20);
    loop.call(clock::ask).await();
    return clock;
  }

  @Test
  void aCommandThatDoesNotEndIsEndedAndTheEndOfTheAllocationIsNotKnown() {
    assertThat(asked("sleep", "86399").endSeconds()).isEmpty();
    ProcessHandle.current().children()
        .filter(child -> child.info().arguments().map(List::of).orElse(List.of()).contains("86399"))
        .forEach(child -> child.onExit().join());
  }

  @Test
  void aCommandThatIsNotThereKeepsNobodyWaiting() {
    assertThat(asked("no-such-batch-system").endSeconds()).isEmpty();
  }
}
