package io.vertxscr.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a launcher that does not read holds up no daemon. Method: a pipe that takes no line until the test says so. */
@Timeout(60)
class LauncherPipeTest {
  private final CountDownLatch reads = new CountDownLatch(1);
  private final CountDownLatch first = new CountDownLatch(1);
  private final StringWriter read = new StringWriter();
  private final LauncherPipe pipe = new LauncherPipe(new PrintWriter(read) {
    @Override
    public void println(String line) {
      try {
        first.countDown();
        reads.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      super.println(line);
    }
  });

  private List<String> lines() {
    reads.countDown();
    pipe.close(Duration.ofMinutes(1));
    return read.toString().lines().toList();
  }

  @Test
  void whoTellsALineDoesNotWaitAndAllComeInOrder() {
    pipe.tell("a");
    pipe.tell("b");
    pipe.tell("c");
    assertThat(lines()).containsExactly("a", "b", "c");
  }

  @Test
  void ofTooManyTheOldestGo() throws Exception {
    pipe.tell("under way");
    first.await();
    for (int i = 0; i < LauncherPipe.MOST_LINES + 3; i++) {
      pipe.tell("line " + i);
    }
    assertThat(lines()).hasSize(LauncherPipe.MOST_LINES + 1).startsWith("under way", "line 3")
        .endsWith("line " + (LauncherPipe.MOST_LINES + 2));
  }

  @Test
  void whoEndsDoesNotWaitForLongWhereNobodyReads() {
    pipe.tell("a");
    pipe.close(Duration.ofMillis(1));
    assertThat(read.toString()).isEmpty();
    assertThat(lines()).containsExactly("a");
  }
}
