package io.vertxscr.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
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
    String stat = Files.readString(Path.of("/proc/thread-self/stat"));
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
}
