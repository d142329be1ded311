package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: jobs are overtaken as threads are. Method: a daemon whose jobs stand at each operation on files. */
@Execution(ExecutionMode.CONCURRENT)
class OvertakingTest {
  private final VirtualTime time = new VirtualTime(new Random(1));
  private final AtomicInteger stands = new AtomicInteger();
  private final AtomicBoolean lives = new AtomicBoolean(true);
  private final Loop loop = time.loop(new VirtualTime.NodeCondition() {
    @Override
    public boolean lives() {
      return lives.get();
    }

    @Override
    public boolean runs() {
      return stands.get() == 0;
    }
  });
  private final SimulatedDisk shared = new SimulatedDisk(time::nowNs);
  private final Machine machine =
      new Machine("n1", time, new SimulatedDisk(time::nowNs), shared, Machine.Watcher.NONE);
  private final List<String> story = new ArrayList<>();

  OvertakingTest() {
    machine.isOf(new Machine.Standstill() {
      @Override
      public boolean runs(String node) {
        return stands.get() == 0;
      }

      @Override
      public void begins(String node, boolean isMissed) {
        stands.incrementAndGet();
      }

      @Override
      public void ends(String node, boolean isMissed) {
        stands.decrementAndGet();
      }
    });
    machine.daemon(loop);
    machine.overtakes(new Overtaking(new Random(1), 1, 50));
  }

  private Future<Void> job(String name) {
    return loop.blocking(name, () -> {
      steps(name);
      return null;
    });
  }

  private Future<Void> jobInMonitor(String name) {
    return loop.blocking(name, () -> {
      synchronized (story) {
        steps(name);
      }
      return null;
    });
  }

  private void steps(String name) throws IOException {
    for (int step = 1; step <= 3; step++) {
      story.add(name);
      Files.createDirectory(file(name + step));
    }
  }

  private Path file(String name) {
    return machine.local().path("/" + name);
  }

  private void untilDone(Future<?>... jobs) {
    Stream.of(jobs).forEach(time::await);
  }

  @Test
  void anotherJobOfTheDaemonComesBetweenTwoOperations() {
    untilDone(job("a"), job("b"));
    assertThat(story.indexOf("a")).isLessThan(story.lastIndexOf("b"));
    assertThat(story.indexOf("b")).isLessThan(story.lastIndexOf("a"));
  }

  @Test
  void inAMonitorItsDaemonStandsAndNobodyOfItComesBetween() {
    for (int ms = 1; ms < 300; ms++) {
      loop.after(ms, () -> story.add("loop"));
      time.loop().after(ms, () -> story.add("other node"));
    }
    untilDone(jobInMonitor("a"));
    List<String> amid = story.subList(story.indexOf("a"), story.lastIndexOf("a"));
    assertThat(amid).contains("other node").doesNotContain("loop");
  }

  /** It looks some time later whether the pause is over; the others would wait for it at the monitor. */
  @Test
  void inAMonitorItIsTheFirstBehindAPauseOfItsDaemon() {
    untilDone(loop.blocking("a", () -> {
      time.loop().after(1, stands::incrementAndGet);
      time.loop().after(120, stands::decrementAndGet);
      for (int ms = 1; ms < 300; ms++) {
        loop.after(ms, () -> story.add("loop"));
      }
      synchronized (story) {
        steps("a");
      }
      return null;
    }));
    assertThat(story.subList(story.indexOf("a"), story.lastIndexOf("a"))).doesNotContain("loop");
  }

  /** What begins to stand within it ends before, however long its daemon is paused then. */
  @Test
  void aPauseOfOneDaemonHoldsUpNoJobOfAnotherOne() {
    Loop other = time.loop();
    Machine others = new Machine("n2", time, new SimulatedDisk(time::nowNs), shared, Machine.Watcher.NONE);
    others.daemon(other);
    others.overtakes(new Overtaking(new Random(2), 1, 50));
    List<Future<?>> within = new ArrayList<>();
    Future<Void> outer = other.blocking("b", () -> {
      within.add(loop.blocking("a", () -> {
        time.loop().after(1, stands::incrementAndGet);
        time.loop().after(10_000, stands::decrementAndGet);
        steps("a");
        return null;
      }));
      Files.createDirectory(others.local().path("/b"));
      return null;
    });
    untilDone(outer);
    assertThat(story).contains("a");
    assertThat(Duration.ofNanos(time.nowNs())).isLessThan(Duration.ofSeconds(5));
    untilDone(within.getFirst());
  }

  @Test
  void aDaemonThatEndsWhileItsJobStandsDoesNotCleanUp() throws Exception {
    for (int ms = 1; ms < 300; ms++) {
      time.loop().after(ms, this::endsAmid);
    }
    loop.blocking("a", () -> {
      try {
        steps("a");
      } finally {
        Files.delete(file("a1"));
      }
      return null;
    });
    time.runUntil(() -> false, Duration.ofSeconds(1));
    assertThat(story).hasSize(2);
    assertThat(Files.exists(file("a1"))).isTrue();
  }

  private void endsAmid() {
    if (story.size() == 2 && lives.getAndSet(false)) {
      machine.daemon(null);
    }
  }
}
