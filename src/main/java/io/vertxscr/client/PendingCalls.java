package io.vertxscr.client;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Verb;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/**
 * The calls of a transport that wait for their answers. After its end there are none any more. Any thread; answers are
 * completed outside of the lock.
 */
final class PendingCalls {
  private final Map<Long, CompletableFuture<Map<String, Object>>> waiting = new LinkedHashMap<>();
  private final Map<Long, Verb> verbs = new LinkedHashMap<>();
  private long lastId;
  private ScrException end;
  private Consumer<ScrException> listener = _ -> {};

  /** One call: what its answer is known by, and the answer. */
  record Call(long id, CompletableFuture<Map<String, Object>> answer) {}

  /** A new call; already failed where the transport has ended or too many wait. */
  synchronized Call open(Verb verb) {
    if (end != null) {
      return new Call(0, FutureSteps.failed(end));
    }
    if (waiting.size() >= Limits.MAX_CALLS_IN_FLIGHT) {
      return new Call(0, FutureSteps.failed(new ScrException(Fault.BUSY,
          waiting.size() + " calls wait for their answers; nothing was done")));
    }
    CompletableFuture<Map<String, Object>> call = new CompletableFuture<>();
    waiting.put(++lastId, call);
    verbs.put(lastId, verb);
    return new Call(lastId, call);
  }

  /** The answer of a call; of one that is not waiting it changes nothing. */
  void succeed(long id, Map<String, Object> answer) {
    CompletableFuture<Map<String, Object>> call = take(id);
    if (call != null) {
      call.complete(answer);
    }
  }

  /** The failure of a call; of one that is not waiting it changes nothing. */
  void fail(long id, ScrException failure) {
    CompletableFuture<Map<String, Object>> call = take(id);
    if (call != null) {
      call.completeExceptionally(failure);
    }
  }

  /** Fails all that wait and all to come. Only the first cause counts. */
  void end(ScrException cause, boolean tellListener) {
    List<CompletableFuture<Map<String, Object>>> failed;
    Consumer<ScrException> told;
    synchronized (this) {
      if (end != null) {
        return;
      }
      end = cause;
      failed = List.copyOf(waiting.values());
      waiting.clear();
      verbs.clear();
      told = listener;
    }
    failed.forEach(call -> call.completeExceptionally(cause));
    if (tellListener) {
      guarded(() -> told.accept(cause));
    }
  }

  void onEnd(Consumer<ScrException> wanted) {
    ScrException already;
    synchronized (this) {
      listener = wanted;
      already = end;
    }
    if (already != null) {
      wanted.accept(already);
    }
  }

  synchronized boolean isEmpty() {
    return waiting.isEmpty();
  }

  /**
   * Runs what may call the application, and logs what it throws as its own. That, of any kind, neither stops the
   * thread that delivers answers nor takes the answer away.
   */
  static void guarded(Runnable handler) {
    try {
      handler.run();
    } catch (RuntimeException | Error e) {
      // Looked up only now: to start a logger takes longer than everything else that a small program does.
      LoggerFactory.getLogger(PendingCalls.class).error("A handler of the application threw", e);
    }
  }

  /** The verbs of the calls that wait, each once, for a sentence. */
  synchronized String verbs() {
    return verbs.values().stream().map(Verb::wireName).distinct().sorted().collect(Collectors.joining(", "));
  }

  private synchronized CompletableFuture<Map<String, Object>> take(long id) {
    verbs.remove(id);
    return waiting.remove(id);
  }
}
