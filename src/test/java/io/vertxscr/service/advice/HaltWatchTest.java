package io.vertxscr.service.advice;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.config.policy.HaltPolicy;
import io.vertxscr.model.Halt;
import io.vertxscr.prefix.metadata.HaltFileStore;
import io.vertxscr.service.AdmittedPrefixes;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: each checkpoint counts once, and the one that is the last says so. Method: checkpoints at random times, on the
 * virtual clock, beside looks and writes that take time.
 */
class HaltWatchTest {
  private static final int SEEDS = 200;
  private static final Duration SOON = Duration.ofSeconds(2);

  @TempDir
  private Path prefix;
  private Random random;
  private VirtualTime time;
  private Loop loop;
  private HaltFileStore file;
  private HaltWatch watch;
  private int checkpoint;
  /** Between the new content of the file and the end of its write. */
  private Duration syncs;

  @BeforeEach
  void newWatch() {
    seed(0);
  }

  private void seed(int seed) {
    random = new Random(seed);
    syncs = Duration.ZERO;
    time = new VirtualTime(random);
    loop = time.loop();
    Prefixes prefixes = AdmittedPrefixes.of(loop, prefix.toString());
    file = prefixes.open(prefix.toString()).haltFile();
    watch = new HaltWatch(loop, prefixes, OptionalLong.empty(), this::seconds, Observer.NONE);
  }

  /** What is read while the file is written. */
  private long seconds() {
    if (time.isInJob()) {
      time.pass(syncs);
    }
    return loop.clock().millis() / 1000;
  }

  private void watch(boolean admitted) {
    if (admitted) {
      assertThat(time.await(loop.call(() -> watch.admit(prefix.toString(), HaltPolicy.STANDARD))).succeeded()).isTrue();
    }
    onLoop(() -> watch.watch(1, prefix.toString(), HaltPolicy.STANDARD));
  }

  /** Watches where so many more checkpoints may be written. */
  private void watch(int left, boolean admitted) {
    file.update(_ -> Halt.NONE.withCheckpointsLeft(OptionalInt.of(left)));
    watch(admitted);
  }

  private void onLoop(Runnable action) {
    time.await(loop.call(() -> {
      action.run();
      return Future.succeededFuture();
    }));
  }

  private void letPass(int mostMs) {
    time.runUntil(() -> false, Duration.ofMillis(random.nextInt(mostMs + 1)));
  }

  private void set(int left) {
    file.update(halt -> halt.withCheckpointsLeft(OptionalInt.of(left)));
  }

  private int left() {
    return file.read().checkpointsLeft().orElseThrow();
  }

  @Test
  void eachCheckpointCountsOnceAndTheLastOneSaysSo() {
    for (int seed = 0; seed < SEEDS; seed++) {
      seed(seed);
      int asked = 1 + random.nextInt(4);
      watch(asked, true);
      int most = random.nextBoolean() ? 10 : 700;
      for (int written = 1; written <= asked; written++) {
        letPass(most);
        onLoop(() -> watch.checkpointWritten(++checkpoint));
        assertThat(watch.reason().isPresent())
            .as("seed %d, after %d of %d checkpoints", seed, written, asked).isEqualTo(written == asked);
        letPass(most);
      }
      time.runUntil(() -> false, SOON);
      assertThat(left()).as("seed %d", seed).isZero();
      assertThat(file.read().reason()).as("seed %d", seed).contains("NO_CHECKPOINTS_LEFT");
      assertThat(watch.reason()).as("seed %d", seed).contains("NO_CHECKPOINTS_LEFT");
    }
  }

  @Test
  void aWatchThatGoesOnWithARunCountsFromItsFirstMoment() {
    for (int seed = 0; seed < SEEDS; seed++) {
      seed(seed);
      watch(5, false);
      int written = 1 + random.nextInt(4);
      for (int i = 0; i < written; i++) {
        onLoop(() -> watch.checkpointWritten(++checkpoint));
        letPass(15);
      }
      time.runUntil(() -> false, SOON);
      assertThat(left()).as("seed %d, %d written", seed, written).isEqualTo(5 - written);
      assertThat(watch.reason()).isEmpty();
    }
  }

  @Test
  void aChangeBesideAWriteIsSeen() {
    for (int seed = 0; seed < SEEDS; seed++) {
      seed(seed);
      watch(50, true);
      letPass(600);
      onLoop(() -> watch.checkpointWritten(++checkpoint));
      letPass(40);
      set(0);
      time.runUntil(() -> false, SOON);
      assertThat(watch.reason()).as("seed %d", seed).contains("NO_CHECKPOINTS_LEFT");
    }
  }

  @Test
  void aLookAmidAWriteDoesNotCountTwice() {
    for (int seed = 0; seed < SEEDS; seed++) {
      seed(seed);
      watch(2, true);
      syncs = Duration.ofMillis(random.nextInt(1_000));
      onLoop(() -> watch.checkpointWritten(++checkpoint));
      for (int look = 0; look < 20; look++) {
        letPass(200);
        assertThat(watch.reason()).as("seed %d, after 1 of 2 checkpoints", seed).isEmpty();
      }
      assertThat(left()).as("seed %d", seed).isEqualTo(1);
    }
  }

  @Test
  void whereNothingIsAskedNothingIsWritten() {
    watch(false);
    onLoop(() -> watch.checkpointWritten(++checkpoint));
    time.runUntil(() -> false, SOON);
    set(1);
    time.runUntil(() -> false, SOON);
    assertThat(watch.reason()).as("written before it was asked").isEmpty();
    onLoop(() -> watch.checkpointWritten(++checkpoint));
    assertThat(watch.reason()).contains("NO_CHECKPOINTS_LEFT");
  }
}
