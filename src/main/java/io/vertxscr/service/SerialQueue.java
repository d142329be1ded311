package io.vertxscr.service;

import io.vertx.core.Future;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Runs steps one after the other for each key, in the order of the calls. The next one runs also after one that has
 * failed. On the node's loop.
 *
 * @param <K> what the steps of one queue have in common: a dataset, a prefix directory
 */
public final class SerialQueue<K> {
  private final Map<K, Future<?>> last = new HashMap<>();

  /** Runs the step when all earlier ones of this key have ended; what it throws becomes a failed future. */
  public <T> Future<T> run(K key, Supplier<Future<T>> step) {
    Future<?> before = last.getOrDefault(key, Future.succeededFuture());
    Future<T> mine = before.transform((_, _) -> step.get());
    last.put(key, mine);
    return mine.onComplete(_ -> last.remove(key, mine));
  }
}
