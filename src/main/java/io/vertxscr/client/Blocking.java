package io.vertxscr.client;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/**
 * Waits for futures of the asynchronous client.
 *
 * <p>An interrupt does not end a wait: the other ranks wait for this one, and leaving a collective call would only hang
 * them. It is kept for after the call. Closing the connection from another thread ends it.
 */
final class Blocking {
  private Blocking() {}

  /**
   * Calls and waits for the outcome.
   *
   * @throws ScrException as the future fails; {@link Fault#WRONG_STATE}, before the call is made, on an event loop
   */
  static <T> T call(Supplier<Future<T>> call) {
    if (Context.isOnEventLoopThread()) {
      throw new ScrException(Fault.WRONG_STATE, "a blocking call on the event loop " + Thread.currentThread().getName()
          + " would stop the very thread that brings its answer; use ScrClient there");
    }
    Future<T> future = call.get();
    CountDownLatch done = new CountDownLatch(1);
    future.onComplete((_, _) -> done.countDown());
    awaitUninterruptibly(done);
    return switch (future.cause()) {
      case null -> future.result();
      // Rethrown as a new exception, so that its stack shows the caller.
      case ScrException known -> throw new ScrException(known.fault(), known.getMessage(), known);
      case Throwable bug -> throw new ScrException(Fault.INTERNAL, "the client failed: " + bug, bug);
    };
  }

  private static void awaitUninterruptibly(CountDownLatch done) {
    boolean interrupted = false;
    while (true) {
      try {
        done.await();
        break;
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
