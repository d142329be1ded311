package io.vertxscr.node;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertxscr.service.Loop;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.storage.LocalFiles;
import java.time.Clock;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** The loop of a node on an event loop of Vert.x, with the node's transfer threads for blocking work. */
public final class VertxLoop implements Loop {
  private final Vertx vertx;
  private final LocalFiles files;
  private final Context context;
  private final BiFunction<String, Callable<Object>, CompletableFuture<Object>> engine;
  private final BiFunction<String, Callable<Object>, CompletableFuture<Object>> patientEngine;
  private final BiFunction<String, Callable<Object>, CompletableFuture<Object>> prefixEngine;
  private final PrefixJobs prefix;

  /**
   * Makes the loop of a node.
   *
   * @param engine runs blocking work on transfer threads; the name is for its diagnosis
   */
  public VertxLoop(Vertx vertx, BiFunction<String, Callable<Object>, CompletableFuture<Object>> engine) {
    this(vertx, LocalFiles.ofThisMachine(), engine, engine, engine);
  }

  /**
   * The same with threads of their own for prefix directories.
   *
   * @param files of the process that the node is in
   * @param patientEngine as {@code engine}, for {@link #patiently}
   * @param prefixEngine as {@code engine}, for {@link #prefix}
   */
  public VertxLoop(Vertx vertx, LocalFiles files,
      BiFunction<String, Callable<Object>, CompletableFuture<Object>> engine,
      BiFunction<String, Callable<Object>, CompletableFuture<Object>> patientEngine,
      BiFunction<String, Callable<Object>, CompletableFuture<Object>> prefixEngine) {
    this.vertx = vertx;
    this.files = files;
    this.context = ((VertxInternal) vertx).createEventLoopContext();
    this.engine = engine;
    this.patientEngine = patientEngine;
    this.prefixEngine = prefixEngine;
    this.prefix = new PrefixJobs(this, this::onPrefixThread);
  }

  @Override
  public <T> Future<T> call(Supplier<Future<T>> action) {
    Promise<T> promise = ((ContextInternal) context).promise();
    if (Vertx.currentContext() == context) {
      Future.succeededFuture().compose(_ -> action.get()).onComplete(promise);
    } else {
      context.runOnContext(_ -> Future.succeededFuture().compose(_ -> action.get()).onComplete(promise));
    }
    return promise.future();
  }

  @Override
  public void later(Runnable action) {
    context.runOnContext(_ -> action.run());
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T> Future<T> blocking(String what, Callable<T> work) {
    return (Future<T>) Future.fromCompletionStage(engine.apply(what, work::call), context);
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T> Future<T> patiently(String what, Callable<T> work) {
    return (Future<T>) Future.fromCompletionStage(patientEngine.apply(what, work::call), context);
  }

  @Override
  public <T> Future<T> aside(String what, Callable<T> work) {
    CompletableFuture<T> done = new CompletableFuture<>();
    Thread.ofPlatform().daemon().name(what).start(() -> {
      try {
        done.complete(work.call());
      } catch (Exception e) {
        done.completeExceptionally(e);
      }
    });
    return Future.fromCompletionStage(done, context);
  }

  @Override
  public PrefixJobs prefix() {
    return prefix;
  }

  @SuppressWarnings("unchecked")
  private <T> Future<T> onPrefixThread(String what, Callable<T> work) {
    return (Future<T>) Future.fromCompletionStage(prefixEngine.apply(what, work::call), context);
  }

  @Override
  public long after(long delayMs, Runnable action) {
    return vertx.setTimer(delayMs, _ -> context.runOnContext(_ -> action.run()));
  }

  @Override
  public void cancel(long timer) {
    vertx.cancelTimer(timer);
  }

  @Override
  public <T> Promise<T> promise() {
    return ((ContextInternal) context).promise();
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public RandomGenerator random() {
    return ThreadLocalRandom.current();
  }

  @Override
  public LocalFiles files() {
    return files;
  }

  @Override
  public Clock clock() {
    return Clock.systemDefaultZone();
  }
}
