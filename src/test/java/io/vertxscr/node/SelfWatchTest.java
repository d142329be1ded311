package io.vertxscr.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** Goal: a daemon ends itself when it cannot do its work, and not before. Method: ticks, and a loop that is a queue. */
class SelfWatchTest {
  private final Queue<Runnable> loop = new ArrayDeque<>();
  private OptionalLong storageMs = OptionalLong.empty();
  private final SelfWatch watch = new SelfWatch(loop::add, () -> storageMs);

  private void turn() {
    while (!loop.isEmpty()) {
      loop.remove().run();
    }
  }

  private Optional<String> ticks(int count) {
    Optional<String> last = Optional.empty();
    for (int tick = 0; tick < count; tick++) {
      last = watch.tick();
    }
    return last;
  }

  @Test
  void aLoopThatTurnsNowAndThenIsWell() {
    for (int round = 0; round < 100; round++) {
      assertThat(ticks(SelfWatch.MOST_TICKS)).isEmpty();
      turn();
    }
  }

  @Test
  void aLoopThatStandsIsNamedAfterAMinuteWithWhatItDoes() {
    watch.tick();
    turn();
    watch.tick();
    assertThat(ticks(SelfWatch.MOST_TICKS - 1)).isEmpty();
    assertThat(watch.tick()).hasValueSatisfying(why ->
        assertThat(why).startsWith("its event loop has not turned for 60 s: it is in "));
    assertThat(loop).as("asked once").hasSize(1);
  }

  @Test
  void aLoopThatHasNeverTurnedIsNamedToo() {
    assertThat(ticks(SelfWatch.MOST_TICKS + 1)).contains("its event loop has not turned for 60 s");
  }

  @Test
  void storageThatIsSilentEndsADaemonOnlyWhereOthersNeedIt() {
    storageMs = OptionalLong.of(59_999);
    watch.tick();
    turn();
    assertThat(watch.tick()).isEmpty();
    storageMs = OptionalLong.of(60_000);
    turn();
    assertThat(watch.tick()).contains("its storage has not answered for 60 s, and it leads the others");
    storageMs = OptionalLong.empty();
    turn();
    assertThat(watch.tick()).isEmpty();
  }
}
