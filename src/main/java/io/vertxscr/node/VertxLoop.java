package io.vertxscr.node;

import com.sun.management.OperatingSystemMXBean;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertxscr.service.Loop;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.service.Traces;
import io.vertxscr.storage.LocalFiles;
import java.lang.management.ManagementFactory;
import java.time.Clock;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** The loop of a node on an event loop of Vert.x, with the node's transfer threads for blocking work. */
public final class VertxLoop implements Loop {
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final Vertx vertx;
  private final LocalFiles files;
  private final Context context;
  private final Engines engines;
  private final PrefixJobs prefix;
  private final Traces traces;

  /** Runs a blocking job on threads of its own; the name is for its diagnosis. */
  @FunctionalInterface
  public interface Engine {
    /** Starts the job as soon as a thread is free. */
    CompletableFuture<Object> submit(String what, Callable<Object> job);
  }

  /**
   * The threads of a node.
   *
   * @param transfers for {@link #blocking}
   * @param patient for {@link #patiently}
   * @param prefix for {@link #prefix}
   * @param quiet for {@link #quietly}
   */
  public record Engines(Engine transfers, Engine patient, Engine prefix, Engine quiet) {}

  /** Makes the loop of a node with the same threads for all blocking work. */
  public VertxLoop(Vertx vertx, Engine engine) {
    this(vertx, LocalFiles.ofThisMachine(), new Engines(engine, engine, engine, engine));
  }

  /** Makes the loop of a node without traces. */
  public VertxLoop(Vertx vertx, LocalFiles files, Engines engines) {
    this(vertx, files, engines, _ -> Traces.OFF);
  }

  /** Makes the loop of a node; {@code files} are those of the process that the node is in. */
  public VertxLoop(Vertx vertx, LocalFiles files, Engines engines, Function<Loop, Traces> traces) {
    this.vertx = vertx;
    this.files = files;
    this.context = ((VertxInternal) vertx).createEventLoopContext();
    this.engines = engines;
    this.prefix = new PrefixJobs(this, this::onPrefixThread);
    this.traces = traces.apply(this);
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
  public <T> Future<T> blocking(String what, Callable<T> work) {
    return on(engines.transfers, what, work);
  }

  @Override
  public <T> Future<T> patiently(String what, Callable<T> work) {
    return on(engines.patient, what, work);
  }

  @Override
  public <T> Future<T> quietly(String what, Callable<T> work) {
    return on(engines.quiet, what, work);
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
  public Traces traces() {
    return traces;
  }

  @Override
  public PrefixJobs prefix() {
    return prefix;
  }

  private <T> Future<T> onPrefixThread(String what, Callable<T> work) {
    return on(engines.prefix, what, work);
  }

  @SuppressWarnings("unchecked")
  private <T> Future<T> on(Engine engine, String what, Callable<T> work) {
    return (Future<T>) Future.fromCompletionStage(engine.submit(what, work::call), context);
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
  public long processorNs() {
    return PROCESS.getProcessCpuTime() / Runtime.getRuntime().availableProcessors();
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
