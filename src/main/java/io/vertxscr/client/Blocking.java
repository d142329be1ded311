package io.vertxscr.client;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * Waits for futures of the asynchronous client.
 *
 * <p>An interrupt does not end a wait: the other ranks wait for this one, and leaving a collective call would only hang
 * them. It is kept for after the call. Closing the connection from another thread ends it.
 */
final class Blocking {
  /** A program that has no Vert.x has no event loops, and needs no class of it. */
  private static final boolean VERTX_IS_HERE = isPresent("io.vertx.core.Context");

  private static final long NEVER_NS = Long.MAX_VALUE / 2;
  private static final int NOTICE_GROWTH = 4;

  private Blocking() {}

  /**
   * Calls and waits for the outcome.
   *
   * @throws ScrException as the future fails; {@link Fault#WRONG_STATE}, before the call is made, on an event loop
   */
  static <T> T call(Supplier<CompletableFuture<T>> call) {
    return call(call, 0, _ -> {});
  }

  /**
   * The same; a wait that takes long is told while it goes on.
   *
   * @param noticeSeconds after so many, then after four times as many, and so on; 0: never
   * @param waited hears how many seconds it has taken; must not fail, or wait itself
   */
  static <T> T call(Supplier<CompletableFuture<T>> call, int noticeSeconds, LongConsumer waited) {
    if (VERTX_IS_HERE && BusTransport.isEventLoop()) {
      throw new ScrException(Fault.WRONG_STATE, "a blocking call on the event loop " + Thread.currentThread().getName()
          + " would stop the very thread that brings its answer; use ScrClient there");
    }
    CompletableFuture<T> future = call.get();
    CountDownLatch done = new CountDownLatch(1);
    future.whenComplete((_, _) -> done.countDown());
    awaitUninterruptibly(done, noticeSeconds == 0 ? NEVER_NS : TimeUnit.SECONDS.toNanos(noticeSeconds), waited);
    return switch (future.isCompletedExceptionally() ? future.exceptionNow() : null) {
      case null -> future.resultNow();
      // Thrown again, so that its stack shows who called.
      case ScrException known -> throw new ScrException(known.fault(), known.getMessage(), known);
      case Throwable bug -> throw new ScrException(Fault.INTERNAL, "the client failed: " + bug, bug);
    };
  }

  private static boolean isPresent(String name) {
    try {
      Class.forName(name, false, Blocking.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException _) {
      return false;
    }
  }

  private static void awaitUninterruptibly(CountDownLatch done, long firstNoticeNs, LongConsumer waited) {
    long beginNs = System.nanoTime();
    long nextNs = firstNoticeNs;
    boolean interrupted = false;
    while (true) {
      try {
        if (done.await(nextNs - (System.nanoTime() - beginNs), TimeUnit.NANOSECONDS)) {
          break;
        }
        long waitedNs = System.nanoTime() - beginNs;
        waited.accept(TimeUnit.NANOSECONDS.toSeconds(waitedNs));
        nextNs = NOTICE_GROWTH * waitedNs;
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
