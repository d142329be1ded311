package io.vertxscr.verticle;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertxscr.model.Fault;
import io.vertxscr.service.Recent;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * At-most-once execution of the calls of other nodes. A call without an answer is sent again, so a copy of it may come
 * when it has been answered, behind what its sender did next: a drain that was taken back would begin again, a fetch
 * would take away what its commit is about to use. Such a copy gets the answer of the first one.
 *
 * <p>The last calls are remembered, but for those with a large answer: these only read. On the node's loop.
 */
final class AnsweredCalls {
  /** Far more than are sent to a node within the time that a copy can be late. */
  private static final int MOST_CALLS = 1000;
  private static final int LARGEST_ANSWER_BYTES = 16 << 10;

  private final Recent<String, Future<Buffer>> answers = new Recent<>(MOST_CALLS);

  /** Does it, or gives the answer that the call has had. */
  Future<Buffer> once(String call, Supplier<Future<Buffer>> step) {
    Optional<Future<Buffer>> known = answers.get(call);
    if (known.isPresent()) {
      return known.get();
    }
    Future<Buffer> mine = Future.succeededFuture().compose(_ -> step.get());
    return mine.onComplete(_ -> remember(call, mine));
  }

  private void remember(String call, Future<Buffer> answer) {
    boolean isForOther = answer.failed() && Fault.of(answer.cause()) == Fault.NOT_LEADER;
    int bytes = answer.succeeded() ? answer.result().length() : String.valueOf(answer.cause().getMessage()).length();
    if (!isForOther && bytes <= LARGEST_ANSWER_BYTES) {
      // by itself: the future of a step keeps the step, and with it the message, which may be of megabytes
      answers.put(call, answer.succeeded() ? Future.succeededFuture(answer.result())
          : Future.failedFuture(answer.cause()));
    }
  }
}
