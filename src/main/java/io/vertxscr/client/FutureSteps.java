package io.vertxscr.client;

import io.vertxscr.model.ScrException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Steps on futures whose failures stay as they are. Those of {@link CompletableFuture} wrap them, and the client
 * promises a {@link ScrException}. All run on the thread that completes, at once where that has happened.
 */
final class FutureSteps {
  private FutureSteps() {}

  static <T> CompletableFuture<T> of(T value) {
    return CompletableFuture.completedFuture(value);
  }

  static <T> CompletableFuture<T> failed(Throwable failure) {
    return CompletableFuture.failedFuture(failure);
  }

  /** What the function makes of the answer. */
  static <A, B> CompletableFuture<B> map(CompletableFuture<A> from, Function<? super A, ? extends B> next) {
    return then(from, value -> of(next.apply(value)));
  }

  /** The answer to the next call. */
  static <A, B> CompletableFuture<B> then(CompletableFuture<A> from, Function<? super A, CompletableFuture<B>> next) {
    CompletableFuture<B> to = new CompletableFuture<>();
    from.whenComplete((value, failure) -> {
      if (failure != null) {
        to.completeExceptionally(plain(failure));
        return;
      }
      try {
        forward(next.apply(value), to);
      } catch (RuntimeException e) {
        to.completeExceptionally(e);
      }
    });
    return to;
  }

  /** The same outcome, or what the function makes of a failure. */
  static <T> CompletableFuture<T> onFailure(CompletableFuture<T> from, Function<Throwable, Throwable> replaced) {
    CompletableFuture<T> to = new CompletableFuture<>();
    from.whenComplete((value, failure) -> {
      if (failure == null) {
        to.complete(value);
      } else {
        to.completeExceptionally(replaced.apply(plain(failure)));
      }
    });
    return to;
  }

  /** The same outcome, after the action has seen it. */
  static <T> CompletableFuture<T> peek(CompletableFuture<T> from, BiConsumer<? super T, Throwable> action) {
    CompletableFuture<T> to = new CompletableFuture<>();
    from.whenComplete((value, failure) -> {
      try {
        action.accept(value, failure == null ? null : plain(failure));
      } finally {
        complete(to, value, failure);
      }
    });
    return to;
  }

  /** The failure without the wrapping of {@link CompletableFuture}. */
  static Throwable plain(Throwable failure) {
    return failure instanceof CompletionException wrapped && wrapped.getCause() != null ? wrapped.getCause() : failure;
  }

  private static <T> void forward(CompletableFuture<T> from, CompletableFuture<T> to) {
    from.whenComplete((value, failure) -> complete(to, value, failure));
  }

  private static <T> void complete(CompletableFuture<T> to, T value, Throwable failure) {
    if (failure == null) {
      to.complete(value);
    } else {
      to.completeExceptionally(plain(failure));
    }
  }
}
