package io.vertxscr.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: nobody waits longer for a prefix directory than agreed, and what hangs is named. Virtual time. */
class PrefixJobsTest {
  private static final Duration PATIENCE = PrefixJobs.PATIENCE;

  private final VirtualTime time = new VirtualTime(new Random(1));
  private final Loop loop = time.loop();
  private final PrefixJobs jobs = loop.prefix();

  private String slow(Duration duration) {
    time.pass(duration);
    return "late";
  }

  private void pass(Duration duration) {
    time.runUntil(() -> false, duration);
  }

  private long seconds() {
    return Duration.ofNanos(time.nowNs()).toSeconds();
  }

  @Test
  void theOldestOperationIsNamedUntilItIsAnswered() {
    jobs.run("open /p/halt.scr", () -> slow(Duration.ofSeconds(60)));
    pass(Duration.ofSeconds(5));
    jobs.run("open /p/index.scr", () -> slow(Duration.ofSeconds(60)));
    assertThat(jobs.remark("n1")).isEmpty();
    pass(Duration.ofSeconds(35));
    assertThat(jobs.remark("n1")).contains("node n1, prefix: no answer for 40 s: open /p/halt.scr");
    pass(Duration.ofSeconds(21));
    assertThat(jobs.remark("n1")).contains("node n1, prefix: no answer for 56 s: open /p/index.scr");
    pass(Duration.ofSeconds(5));
    assertThat(jobs.remark("n1")).isEmpty();
  }

  @Test
  void aQuestionIsGivenUpAfterItsPatienceAndLaterOnesAtOnceUntilThereIsAnAnswer() {
    Future<String> first = jobs.ask(PATIENCE, "look at /p", () -> slow(Duration.ofSeconds(60)));
    assertThat(time.await(first).cause()).matches(PrefixJobs::isNoAnswer)
        .hasMessage("the prefix directory gives no answer for 10 s: look at /p");
    assertThat(seconds()).isEqualTo(10);
    Future<String> second = jobs.ask(PATIENCE, "look at /p/x", () -> "x");
    assertThat(second.cause()).matches(PrefixJobs::isNoAnswer);
    Future<String> patient = jobs.ask(Duration.ofSeconds(100), "look at /p/y", () -> "y");
    assertThat(time.await(patient).result()).isEqualTo("y");
    pass(Duration.ofSeconds(60));
    assertThat(time.await(jobs.ask(PATIENCE, "look at /p/x", () -> "x")).result()).isEqualTo("x");
  }

  @Test
  void whatIsBegunIsDoneThoughNobodyWaitsForIt() {
    Future<String> begun = jobs.run("write /p/x", () -> slow(Duration.ofSeconds(60)));
    assertThat(time.await(jobs.within(PATIENCE, begun)).failed()).isTrue();
    assertThat(jobs.within(PATIENCE, begun).failed()).as("at once").isTrue();
    assertThat(time.await(begun).result()).isEqualTo("late");
    assertThat(jobs.within(PATIENCE, begun).result()).isEqualTo("late");
  }

  @Test
  void threadsThatHangDelayNeitherCachesNorCopies() {
    for (int i = 0; i < 100; i++) {
      jobs.run("look at /p/" + i, () -> slow(Duration.ofMinutes(5)));
    }
    assertThat(time.await(loop.blocking("encode", () -> "encoded")).result()).isEqualTo("encoded");
    assertThat(time.await(loop.patiently("copy", () -> "copied")).result()).isEqualTo("copied");
    assertThat(seconds()).isZero();
  }
}
