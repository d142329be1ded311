package io.vertxscr.service;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * The one event loop on which all control of a node runs, and the way from there to the threads that may block.
 * Services keep their state without locks because they are entered through {@link #call} only.
 */
public final class Loop {
  private final Vertx vertx;
  private final Context context;
  private final BiFunction<String, Callable<Object>, CompletableFuture<Object>> engine;
  private final BiFunction<String, Callable<Object>, CompletableFuture<Object>> patientEngine;

  /**
   * Makes the loop of a node.
   *
   * @param engine runs blocking work on transfer threads; the name is for its diagnosis
   */
  public Loop(Vertx vertx, BiFunction<String, Callable<Object>, CompletableFuture<Object>> engine) {
    this(vertx, engine, engine);
  }

  /**
   * The same with threads of their own for work that may pause.
   *
   * @param patientEngine as {@code engine}, for {@link #patiently}
   */
  public Loop(Vertx vertx, BiFunction<String, Callable<Object>, CompletableFuture<Object>> engine,
      BiFunction<String, Callable<Object>, CompletableFuture<Object>> patientEngine) {
    this.vertx = vertx;
    this.context = ((io.vertx.core.internal.VertxInternal) vertx).createEventLoopContext();
    this.engine = engine;
    this.patientEngine = patientEngine;
  }

  /** Runs the action on the loop. What it throws becomes a failed future. */
  public <T> Future<T> call(Supplier<Future<T>> action) {
    Promise<T> promise = ((ContextInternal) context).promise();
    if (Vertx.currentContext() == context) {
      Future.succeededFuture().compose(_ -> action.get()).onComplete(promise);
    } else {
      context.runOnContext(_ -> Future.succeededFuture().compose(_ -> action.get()).onComplete(promise));
    }
    return promise.future();
  }

  /** Runs the action on the loop, later if called on it. */
  public void later(Runnable action) {
    context.runOnContext(_ -> action.run());
  }

  /** Runs blocking work on a transfer thread; the future completes on the loop. */
  @SuppressWarnings("unchecked")
  public <T> Future<T> blocking(String what, Callable<T> work) {
    return (Future<T>) Future.fromCompletionStage(engine.apply(what, work::call), context);
  }

  /** As {@link #blocking}, for work that may pause for long: it takes no thread away from what a phase waits for. */
  @SuppressWarnings("unchecked")
  public <T> Future<T> patiently(String what, Callable<T> work) {
    return (Future<T>) Future.fromCompletionStage(patientEngine.apply(what, work::call), context);
  }

  /** Runs the action on the loop after a delay; returns an id for {@link #cancel}. */
  public long after(long delayMs, Runnable action) {
    return vertx.setTimer(delayMs, _ -> context.runOnContext(_ -> action.run()));
  }

  public void cancel(long timer) {
    vertx.cancelTimer(timer);
  }

  /** A promise whose future completes on the loop. */
  public <T> Promise<T> promise() {
    return ((ContextInternal) context).promise();
  }
}
