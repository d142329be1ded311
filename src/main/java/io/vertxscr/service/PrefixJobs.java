package io.vertxscr.service;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A node's operations on prefix directories, on threads of their own. A parallel file system that hangs stops these
 * threads, and none that a cache needs.
 *
 * <p>A caller that can go on without an answer waits for a bounded time; not at all while another operation has been
 * unanswered for as long. One that cannot (a flush, a fetch) waits. On the node's loop.
 */
public final class PrefixJobs {
  /** Longest wait in a phase; after it the file system is said to hang. */
  public static final Duration PATIENCE = Duration.ofSeconds(10);
  /** Longest wait of a run that begins: it would rather have the newest checkpoint than begin at once. */
  public static final Duration PATIENCE_AT_BEGIN = Duration.ofSeconds(30);
  private static final long NS_PER_S = 1_000_000_000;

  private final Loop loop;
  private final Pool pool;
  /** Not answered yet, the oldest first. */
  private final Set<Operation> open = new LinkedHashSet<>();

  /** Threads for these operations. */
  @FunctionalInterface
  public interface Pool {
    <T> Future<T> submit(String what, Callable<T> work);
  }

  /** Not a record: two of the same kind at the same time are two. */
  private static final class Operation {
    private final String what;
    private final long sinceNs;

    Operation(String what, long sinceNs) {
      this.what = what;
      this.sinceNs = sinceNs;
    }
  }

  /** An operation without an answer. */
  public record Unanswered(String what, long seconds) {
    /** For people: "no answer for 40 s: look at /p/.scr/halt.scr". */
    public String inWords() {
      return "no answer for " + seconds + " s: " + what;
    }
  }

  public PrefixJobs(Loop loop, Pool pool) {
    this.loop = loop;
    this.pool = pool;
  }

  /** Runs blocking work, however long it takes. @param what names it and its path to people */
  public <T> Future<T> run(String what, Callable<T> work) {
    Operation operation = new Operation(what, loop.nanoTime());
    open.add(operation);
    return pool.submit(what, work).onComplete(_ -> open.remove(operation));
  }

  /** As {@link #run}, for what may take long without a hang: many files, or much to read. */
  public <T> Future<T> runLong(String what, Callable<T> work) {
    return pool.submit(what, work);
  }

  /** As {@link #within}, for a question; it is not asked while there is no answer anyway. */
  public <T> Future<T> ask(Duration patience, String what, Callable<T> question) {
    Optional<Unanswered> hang = unanswered(patience);
    return hang.isPresent() ? Future.failedFuture(noAnswer(hang.get()))
        : within(patience, run(what, question));
  }

  /**
   * The result of something that has been begun, if it comes soon. It is not undone, and may still be done later.
   *
   * @return fails with IO if there is no answer in time: {@link #isNoAnswer}
   */
  public <T> Future<T> within(Duration patience, Future<T> begun) {
    if (begun.isComplete()) {
      return begun;
    }
    Optional<Unanswered> hang = unanswered(patience);
    if (hang.isPresent()) {
      return Future.failedFuture(noAnswer(hang.get()));
    }
    Promise<T> promise = loop.promise();
    long timer = loop.after(patience.toMillis(), () -> promise.tryFail(noAnswer(unanswered(Duration.ZERO)
        .orElse(new Unanswered("waiting for its turn", patience.toSeconds())))));
    begun.onComplete((result, failure) -> {
      loop.cancel(timer);
      if (failure == null) {
        promise.tryComplete(result);
      } else {
        promise.tryFail(failure);
      }
    });
    return promise.future();
  }

  /** The oldest operation without an answer, once the file system is said to hang. */
  public Optional<Unanswered> unanswered() {
    return unanswered(PATIENCE);
  }

  /** The same in a sentence for people. @param node whose these operations are */
  public Optional<String> remark(String node) {
    return unanswered().map(hang -> "node " + node + ", prefix: " + hang.inWords());
  }

  private Optional<Unanswered> unanswered(Duration patience) {
    Iterator<Operation> oldest = open.iterator();
    if (!oldest.hasNext()) {
      return Optional.empty();
    }
    Operation operation = oldest.next();
    long forNs = loop.nanoTime() - operation.sinceNs;
    return forNs < patience.toNanos() ? Optional.empty()
        : Optional.of(new Unanswered(operation.what, forNs / NS_PER_S));
  }

  private static ScrException noAnswer(Unanswered hang) {
    return new ScrException(
        Fault.IO, "the prefix directory gives " + hang.inWords(), new TimeoutException(hang.what()));
  }

  /**
   * What is asked; once more where the operating system gives an error. That may have been the only one. Not where it
   * gives no answer.
   */
  public static <T> Future<T> twice(Supplier<Future<T>> question) {
    return question.get().recover(failure -> Fault.of(failure) == Fault.IO && !isNoAnswer(failure) ? question.get()
        : Future.failedFuture(failure));
  }

  /** Whether something has failed only for want of an answer in time. */
  public static boolean isNoAnswer(Throwable failure) {
    return failure instanceof ScrException known && known.getCause() instanceof TimeoutException;
  }
}
