package io.vertxscr.service;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;

/** Waits for answers that somebody can do without. */
public final class BoundedWait {
  private BoundedWait() {}

  /** The answer, or this where it fails or does not come in time. On the loop; does not fail. */
  public static <T> Future<T> of(Loop loop, Duration patience, Future<T> answer, T otherwise) {
    Promise<T> promise = loop.promise();
    long timer = loop.after(patience.toMillis(), () -> promise.tryComplete(otherwise));
    answer.onComplete((result, failure) -> {
      loop.cancel(timer);
      promise.tryComplete(failure == null ? result : otherwise);
    });
    return promise.future();
  }
}
