package io.vertxscr.verticle;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;

/** Goal: a call is done once, as long as its answer is remembered. Method: calls whose step counts itself. */
class AnsweredCallsTest {
  private final AnsweredCalls calls = new AnsweredCalls();
  private int done;

  private Future<Buffer> call(String id, Future<Buffer> answer) {
    return calls.once(id, () -> {
      done++;
      return answer;
    });
  }

  private static Future<Buffer> answer(int bytes) {
    return Future.succeededFuture(Buffer.buffer(new byte[bytes]));
  }

  @Test
  void aCopyGetsTheAnswerOfTheFirst() {
    Promise<Buffer> slow = Promise.promise();
    call("n1 a-1", slow.future());
    slow.complete(Buffer.buffer("first"));
    assertThat(call("n1 a-1", answer(1)).result()).isEqualTo(Buffer.buffer("first"));
    assertThat(call("n2 a-1", answer(1)).result().length()).isEqualTo(1);
    assertThat(done).isEqualTo(2);
  }

  @Test
  void aFailureIsAnAnswer() {
    call("a", Future.failedFuture(new ScrException(Fault.NO_SPACE, "full")));
    assertThat(call("a", answer(1)).cause()).hasMessageContaining("full");
    assertThat(calls.once("b", () -> {
      throw new ScrException(Fault.BAD_REQUEST, "no such node");
    }).cause()).hasMessageContaining("no such node");
    assertThat(call("b", answer(1)).cause()).hasMessageContaining("no such node");
    assertThat(done).isEqualTo(1);
  }

  @Test
  void whoDoesNotLeadHasNotDoneIt() {
    call("a", Future.failedFuture(new ScrException(Fault.NOT_LEADER, "n2 leads")));
    assertThat(call("a", answer(1)).succeeded()).isTrue();
    assertThat(done).isEqualTo(2);
  }

  @Test
  void largeAnswersAreNotKept() {
    call("large", answer((16 << 10) + 1));
    call("large", answer(1));
    call("small", answer(16 << 10));
    call("small", answer(1));
    assertThat(done).isEqualTo(3);
  }

  @Test
  void whatWasAskedIsNotKept() {
    WeakReference<byte[]> good = asked("good", answer(1));
    WeakReference<byte[]> bad = asked("bad", Future.failedFuture(new ScrException(Fault.NO_SPACE, "full")));
    System.gc();
    assertThat(good.get()).isNull();
    assertThat(bad.get()).isNull();
    call("good", answer(1));
    call("bad", answer(1));
    assertThat(done).isEqualTo(2);
  }

  /** The message that a call has brought, which its step has seen. */
  private WeakReference<byte[]> asked(String id, Future<Buffer> answer) {
    byte[] message = new byte[1000];
    calls.once(id, () -> {
      done += message.length / 1000;
      return answer;
    });
    return new WeakReference<>(message);
  }

  @Test
  void theOldestIsForgotten() {
    for (int number = 0; number <= 1000; number++) {
      call("a-" + number, answer(1));
    }
    call("a-1", answer(1));
    assertThat(done).isEqualTo(1001);
    call("a-0", answer(1));
    assertThat(done).isEqualTo(1002);
  }
}
