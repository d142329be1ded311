package io.vertxscr.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: every submission has exactly one end, also at the limit, at the end and after an error. */
@Timeout(120)
class TransferEngineTest {
  private final CountDownLatch gate = new CountDownLatch(1);
  private final TransferEngine engine = new TransferEngine("test", 2, 3);

  @AfterEach
  void stop() {
    gate.countDown();
    engine.close();
  }

  @Test
  void jobsRunOnTheEnginesThreadsAndGiveTheirValue() {
    assertThat(engine.submit("name", () -> Thread.currentThread().getName()).join()).startsWith("test-transfer-");
    assertThat(engine.submit("daemon", () -> Thread.currentThread().isDaemon()).join()).isTrue();
    assertThat(engine.submit("nothing", () -> null).join()).isNull();
  }

  @Test
  void oneJobMoreThanTheQueueHoldsIsRefusedAndNotRun() {
    AtomicInteger ran = new AtomicInteger();
    List<CompletableFuture<Integer>> taken = fill(ran::incrementAndGet);
    assertFails(engine.submit("encode of dataset 7", ran::incrementAndGet), Fault.BUSY, "encode of dataset 7");
    assertThat(engine.active()).hasSize(5);
    gate.countDown();
    taken.forEach(CompletableFuture::join);
    assertThat(ran).hasValue(3);
    assertThat(engine.active()).isEmpty();
  }

  @Test
  void failuresReachTheFutureAndTheThreadsGoOn() {
    for (int round = 0; round < 5; round++) {
      assertThatExceptionOfType(CompletionException.class).isThrownBy(engine.submit("throws", () -> {
        throw new IOException("disk");
      })::join).withCauseInstanceOf(IOException.class);
      assertFails(engine.submit("fault", () -> {
        throw new ScrException(Fault.NO_SPACE, "full");
      }), Fault.NO_SPACE, "full");
    }
    assertThat(engine.submit("next", () -> 1).join()).isEqualTo(1);
  }

  @Test
  void anErrorThatEndsAThreadStillEndsItsFuture() {
    var loud = Thread.getDefaultUncaughtExceptionHandler();
    List<Throwable> uncaught = new ArrayList<>();
    CountDownLatch heard = new CountDownLatch(3);
    Thread.setDefaultUncaughtExceptionHandler((_, error) -> {
      synchronized (uncaught) {
        uncaught.add(error);
      }
      heard.countDown();
    });
    try {
      for (int round = 0; round < 3; round++) {
        assertThatExceptionOfType(CompletionException.class).isThrownBy(engine.submit("dies", () -> {
          throw new AssertionError("a bug");
        })::join).withMessageContaining("dies");
      }
      heard.await();
      assertThat(uncaught).hasSize(3).allMatch(AssertionError.class::isInstance);
      assertThat(engine.submit("next", () -> 1).join()).isEqualTo(1);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(loud);
    }
  }

  @Test
  void aCancelledJobDoesNotStart() {
    AtomicBoolean ran = new AtomicBoolean();
    List<CompletableFuture<Boolean>> taken = fill(() -> {
      ran.set(true);
      return true;
    });
    taken.subList(2, 5).forEach(job -> job.cancel(false));
    gate.countDown();
    engine.drain().join();
    assertThat(ran).isFalse();
  }

  @Test
  void drainRefusesTheNewAndFinishesTheOld() throws Exception {
    AtomicInteger ran = new AtomicInteger();
    List<CompletableFuture<Integer>> taken = fill(ran::incrementAndGet);
    CompletableFuture<Void> drained = engine.drain();
    assertFails(engine.submit("late", ran::incrementAndGet), Fault.STOPPING, "late");
    assertThat(drained).isNotDone();
    gate.countDown();
    drained.get(60, TimeUnit.SECONDS);
    taken.forEach(CompletableFuture::join);
    assertThat(ran).hasValue(3);
  }

  @Test
  void closeEndsWhatWaitsAndDoesNotInterruptWhatRuns() throws Exception {
    AtomicBoolean interrupted = new AtomicBoolean();
    CountDownLatch running = new CountDownLatch(2);
    Callable<Boolean> wait = () -> {
      running.countDown();
      try {
        gate.await();
        return true;
      } catch (InterruptedException _) {
        interrupted.set(true);
        return false;
      }
    };
    List<CompletableFuture<Boolean>> taken = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      taken.add(engine.submit("wait " + i, wait));
    }
    running.await();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(engine::close);
    for (int i = 2; i < 5; i++) {
      assertFails(taken.get(i), Fault.STOPPING, "wait " + i);
    }
    assertThat(closing).isNotDone();
    gate.countDown();
    closing.get(60, TimeUnit.SECONDS);
    assertThat(taken.get(0).join() && taken.get(1).join()).isTrue();
    assertThat(interrupted).isFalse();
    assertFails(engine.submit("late", () -> 1), Fault.STOPPING, "late");
  }

  @Test
  void submissionsRacingWithCloseAllEnd() throws Exception {
    for (int round = 0; round < 50; round++) {
      TransferEngine racing = new TransferEngine("race", 2, 1000);
      List<CompletableFuture<Integer>> results = new ArrayList<>();
      CountDownLatch begun = new CountDownLatch(1);
      Thread submitter = Thread.ofPlatform().start(() -> {
        for (int i = 0; i < 200; i++) {
          int value = i;
          results.add(racing.submit("job " + i, () -> value));
          begun.countDown();
        }
      });
      begun.await();
      racing.close();
      submitter.join();
      for (CompletableFuture<Integer> result : results) {
        result.exceptionally(_ -> -1).get(60, TimeUnit.SECONDS);
      }
      assertThat(racing.active()).isEmpty();
    }
  }

  /** Occupies both threads until the gate opens, then fills the queue with three of these jobs. */
  private <T> List<CompletableFuture<T>> fill(Callable<T> job) {
    CountDownLatch running = new CountDownLatch(2);
    List<CompletableFuture<T>> all = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      all.add(engine.submit("blocks", () -> {
        running.countDown();
        gate.await();
        return null;
      }));
    }
    try {
      running.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    for (int i = 0; i < 3; i++) {
      all.add(engine.submit("queued " + i, job));
    }
    return all;
  }

  private static void assertFails(CompletableFuture<?> future, Fault fault, String message) {
    assertThatExceptionOfType(CompletionException.class).isThrownBy(future::join)
        .withMessageContaining(message).havingCause()
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(fault));
  }
}
