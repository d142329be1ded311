package io.vertxscr.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SerialQueueTest {
  private final SerialQueue<String> queue = new SerialQueue<>();
  private final List<String> begun = new ArrayList<>();

  private Future<String> step(String key, String name, Promise<String> end) {
    return queue.run(key, () -> {
      begun.add(name);
      return end.future();
    });
  }

  @Test
  void stepsOfAKeyRunInTheOrderOfTheCallsAndThoseOfOtherKeysBesideThem() {
    Promise<String> first = Promise.promise();
    Promise<String> second = Promise.promise();
    Future<String> last = step("a", "a1", first).compose(_ -> Future.succeededFuture("after a1"));
    Future<String> next = step("a", "a2", second);
    step("b", "b1", Promise.promise());
    assertThat(begun).containsExactly("a1", "b1");

    first.complete("one");
    assertThat(begun).containsExactly("a1", "b1", "a2");
    assertThat(last.result()).isEqualTo("after a1");
    assertThat(next.isComplete()).isFalse();
    second.complete("two");
    assertThat(next.result()).isEqualTo("two");
  }

  @Test
  void aStepThatFailsOrThrowsDoesNotStopThoseBehindIt() {
    Promise<String> first = Promise.promise();
    Future<String> failing = step("a", "a1", first);
    Future<Object> throwing = queue.run("a", () -> {
      throw new IllegalStateException("thrown");
    });
    Future<String> behind = step("a", "a3", Promise.promise());

    first.fail("failed");
    assertThat(failing.cause()).hasMessage("failed");
    assertThat(throwing.cause()).hasMessage("thrown");
    assertThat(begun).containsExactly("a1", "a3");
    assertThat(behind.isComplete()).isFalse();
  }
}
