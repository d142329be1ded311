package io.vertxscr.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: all is done, in order, never more at once than may be, and nothing begins after a failure. */
class BoundedParallelTest {
  private final List<Promise<Integer>> begun = new ArrayList<>();

  private List<Supplier<Future<Integer>>> work(int count) {
    return IntStream.range(0, count).<Supplier<Future<Integer>>>mapToObj(_ -> () -> {
      begun.add(Promise.promise());
      return begun.getLast().future();
    }).toList();
  }

  @Test
  void inEveryOrderOfEndsNoMoreAreUnderWayThanMayBeAndAllAreDone() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("BoundedParallelTest seed " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      begun.clear();
      int width = 1 + random.nextInt(5);
      int count = random.nextInt(12);
      Future<List<Integer>> all = BoundedParallel.atOnce(width, work(count));
      for (int ended = 0; ended < count; ended++) {
        assertThat(begun).as("seed %d round %d", seed, round).hasSize(Math.min(count, ended + width));
        assertThat(all.isComplete()).isFalse();
        List<Integer> open = IntStream.range(0, begun.size()).filter(i -> !begun.get(i).future().isComplete())
            .boxed().toList();
        int next = open.get(random.nextInt(open.size()));
        begun.get(next).complete(next * 10);
      }
      assertThat(all.result()).isEqualTo(IntStream.range(0, count).map(i -> i * 10).boxed().toList());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void afterAFailureNothingBeginsAndWhatIsUnderWayIsWaitedFor(int failing) {
    Future<List<Integer>> all = BoundedParallel.atOnce(3, work(9));
    begun.get(failing).fail("broken");
    assertThat(all.isComplete()).isFalse();
    IntStream.range(0, 3).filter(i -> i != failing).forEach(i -> begun.get(i).complete(i));
    assertThat(begun).hasSize(3);
    assertThat(all.cause()).hasMessage("broken");
  }

  @Test
  void whatEndsAtOnceOrThrowsIsNoTroubleHoweverMuchThereIs() {
    List<Supplier<Future<Integer>>> work =
        new ArrayList<>(IntStream.range(0, 100_000).<Supplier<Future<Integer>>>mapToObj(i ->
            () -> Future.succeededFuture(i)).toList());
    assertThat(BoundedParallel.atOnce(2, work).result()).hasSize(100_000).endsWith(99_999);
    work.add(7, () -> {
      throw new IllegalStateException("thrown");
    });
    assertThat(BoundedParallel.atOnce(2, work).cause()).hasMessage("thrown");
  }
}
