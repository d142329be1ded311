package io.vertxscr.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Goal: one thread yields to all others, and no other does. Method: the nice values that the kernel tells. */
@EnabledOnOs(OS.LINUX)
class ThreadPriorityTest {
  /** Of the fields of {@code stat}, counted behind the name, which may have anything in it. */
  private static final int NICE = 16;

  private static int nice() throws Exception {
    return nice(Path.of("/proc/thread-self"));
  }

  private static int nice(Path thread) throws Exception {
    String stat = Files.readString(thread.resolve("stat"));
    return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[NICE]);
  }

  @Test
  void onlyTheThreadsOfTheEngineYield() throws Exception {
    int before = nice();
    try (TransferEngine engine = new TransferEngine("quiet", 1, 1, ThreadPriority::lower)) {
      assertThat(engine.submit("tell", ThreadPriorityTest::nice).get(60, TimeUnit.SECONDS)).isEqualTo(19);
    }
    assertThat(nice()).isEqualTo(before);
    try (TransferEngine engine = new TransferEngine("other", 1, 1)) {
      assertThat(engine.submit("tell", ThreadPriorityTest::nice).get(60, TimeUnit.SECONDS)).isEqualTo(before);
    }
  }

  @Test
  void threadsOfANameYieldAndTheirLikesDoNot() throws Exception {
    int before = nice();
    CountDownLatch end = new CountDownLatch(1);
    Map<String, Path> threads = new ConcurrentHashMap<>();
    CountDownLatch begun = new CountDownLatch(3);
    for (String name : List.of("calm one", "calm two", "not calm")) {
      Thread.ofPlatform().daemon().name(name).start(() -> {
        try {
          threads.put(name, Path.of("/proc/thread-self").toRealPath());
          begun.countDown();
          end.await();
        } catch (IOException | InterruptedException e) {
          throw new IllegalStateException(e);
        }
      });
    }
    try {
      assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(ThreadPriority.lower(Path.of("/proc/self/task"), "calm", 7)).isEqualTo(2);
      assertThat(nice(threads.get("calm one"))).isEqualTo(7);
      assertThat(nice(threads.get("calm two"))).isEqualTo(7);
      assertThat(nice(threads.get("not calm"))).isEqualTo(before);
      assertThat(nice()).isEqualTo(before);
    } finally {
      end.countDown();
    }
  }
}
