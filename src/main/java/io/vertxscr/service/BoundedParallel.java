package io.vertxscr.service;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

/**
 * Several pieces of work, of which no more than so many are under way at once. On the loop of the one who begins them,
 * where their futures complete.
 */
public final class BoundedParallel<T> {
  private final int width;
  private final List<Supplier<Future<T>>> work;
  private final List<T> results;
  private final Promise<List<T>> all = Promise.promise();
  private Throwable failure;
  private int begun;
  private int underWay;
  private boolean beginning;

  private BoundedParallel(int width, List<Supplier<Future<T>>> work) {
    this.width = width;
    this.work = work;
    this.results = new ArrayList<>(Collections.nCopies(work.size(), null));
  }

  /**
   * Starts the tasks in order, with at most {@code width} in progress.
   *
   * @param width from 1
   * @return what they bring, in the same order. Fails with the first failure: nothing is begun after it, and what was
   *     under way then has ended
   */
  public static <T> Future<List<T>> atOnce(int width, List<Supplier<Future<T>>> work) {
    BoundedParallel<T> some = new BoundedParallel<>(width, List.copyOf(work));
    some.begin();
    return some.all.future();
  }

  private void begin() {
    if (beginning) {
      return;                                             // what ends at once makes place in the loop below
    }
    beginning = true;
    while (failure == null && underWay < width && begun < work.size()) {
      int index = begun++;
      underWay++;
      Future.succeededFuture().compose(_ -> work.get(index).get())
          .onComplete((result, cause) -> ended(index, result, cause));
    }
    beginning = false;
    if (underWay == 0) {
      end();
    }
  }

  private void ended(int index, T result, Throwable cause) {
    underWay--;
    results.set(index, result);
    failure = failure == null ? cause : failure;
    begin();
  }

  private void end() {
    if (failure == null) {
      all.tryComplete(results);
    } else {
      all.tryFail(failure);
    }
  }
}
