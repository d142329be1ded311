package io.vertxscr.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.JsonPage;
import io.vertxscr.cli.drill.LivePlan.LiveRun;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: what the daemons tell is understood: how far the run has recovered, and why it has not. Method: events as they
 * come, a second apart.
 */
@Execution(ExecutionMode.CONCURRENT)
class LiveCourseTest {
  private static final LiveRun RUN = new LiveRun(7, "climate", "/p", 4, List.of("a", "b", "c", "d"));
  private static final LivePlan PLAN = LivePlan.choose(RUN, List.of("b"), List.of("a"), "kill {node}", 1);
  private static final long SECOND = 1_000_000_000L;
  private static final long DAY_MS = 86_400_000L;

  private final LiveCourse course = new LiveCourse(PLAN);
  private long nanos = -5 * SECOND;                         // the clock of a JVM may be anywhere, also before 0

  private void hear(String type, Object... fields) {
    JsonObject event = new JsonObject().put("type", type).put("node", "a").put("timeMs", DAY_MS + nanos / 1_000_000);
    for (int i = 0; i < fields.length; i += 2) {
      event.put((String) fields[i], fields[i + 1]);
    }
    nanos += SECOND;
    course.hear(event, nanos);
  }

  private void checkpoint(long run, int dataset) {
    hear("phase-started", "run", run, "dataset", dataset, "checkpoint", true, "output", false);
    hear("dataset-complete", "run", run, "dataset", dataset);
  }

  private void strike() {
    course.strike(nanos, DAY_MS + nanos / 1_000_000);
  }

  private void upToTheRead() {
    checkpoint(7, 3);
    strike();
    hear("node-left", "about", "b");
    hear("run-over", "run", 7L, "fault", "NODE_LOST", "cause", "node b is lost");
    hear("restored", "dataset", 3, "ranks", new JsonObject().put("kept", 3).put("moved", 0).put("rebuilt", 1));
    hear("run-begun", "run", 8L);
    hear("restart-read", "run", 8L, "dataset", 3);
    course.scrubs(List.of("a", "c"));
  }

  private DrillResult result() {
    return LivePage.result(course.outcome(Optional.empty()), DrillOutcomes.NONE);
  }

  private static Map<String, Object> plain(JsonObject json) {
    return new JsonObject(json.encode()).getMap();
  }

  private static String check(DrillResult result, String name) {
    return result.checks().stream().filter(one -> one.name().equals(name)).map(one -> one.result() + ": " + one.text())
        .findFirst().orElseThrow();
  }

  @Test
  void aWholeRecoveryPassesWithItsTimes() throws IOException {
    upToTheRead();
    hear("scrub-done", "about", "a", "dataset", 3);
    assertThat(course.isVerified()).isFalse();
    hear("scrub-done", "about", "c", "dataset", 3);
    assertThat(course.isDone()).isFalse();
    checkpoint(8, 4);
    assertThat(course.isDone()).isTrue();

    DrillResult result = result();
    assertThat(result.passed()).isTrue();
    assertThat(result.checks()).allMatch(one -> one.result() == DrillCheck.Result.PASSED);
    assertThat(result.lines()).hasSizeLessThanOrEqualTo(24).contains("loss       b",
        "work lost  2.00 s (RPO): dataset 3 was restored, 3 kept, 1 rebuilt", "passed     8 of 8 checks");
    assertThat(result.lines()).anyMatch(line -> line.matches("all ranks have read it +5\\.00 +RTO"));
    assertThat(result.seconds()).isEqualTo(9);
    StringWriter report = new StringWriter();
    JunitReport.write(report, result);
    assertThat(report.toString()).contains("failures=\"0\"", "skipped=\"0\"", "rtoSeconds");
    new JsonPage("scr drill --live").check(plain(result.json()));
  }

  @Test
  void everyFieldOfThePageComesInSomeResult() throws IOException {
    JsonPage page = new JsonPage("scr drill --live");
    var bounds = DrillOutcomes.within(1, 1);
    Set<String> seen = new TreeSet<>();
    upToTheRead();
    hear("scrub-done", "about", "a", "dataset", 3);
    hear("scrub-done", "about", "c", "dataset", 3);
    checkpoint(8, 4);
    seen.addAll(page.check(plain(LivePage.json(course.outcome(Optional.of("too long")), bounds))));
    LiveCourse other = new LiveCourse(PLAN);
    other.scrubs(List.of());
    seen.addAll(page.check(plain(LivePage.json(other.outcome(Optional.empty()), bounds))));
    hear("damage-found", "about", "c", "dataset", 3, "rank", 1, "cause", "CRC");
    seen.addAll(page.check(plain(LivePage.json(course.outcome(Optional.empty()), bounds))));
    assertThat(seen).containsAll(page.all());
  }

  @Test
  void damageInTheRestoredCheckpointFails() {
    upToTheRead();
    hear("damage-found", "about", "c", "dataset", 2, "rank", 1, "cause", "another dataset");
    hear("damage-found", "about", "c", "dataset", 3, "rank", 1, "cause", "byte 7 of x");
    hear("scrub-done", "about", "a", "dataset", 3);
    hear("scrub-done", "about", "c", "dataset", 3);
    checkpoint(8, 4);
    assertThat(result().passed()).isFalse();
    assertThat(check(result(), "bytes")).isEqualTo("FAILED: dataset 3 on c, rank 1: byte 7 of x");
  }

  @Test
  void aCheckpointThatIsEvictedBeforeItIsReadIsNotCalledVerified() {
    upToTheRead();
    hear("scrub-done", "about", "a", "dataset", 3);
    checkpoint(8, 4);
    course.holds(List.of("a"));
    assertThat(course.isDone()).isTrue();
    assertThat(check(result(), "bytes")).startsWith("SKIPPED: it was evicted before all of it was read");
    assertThat(result().lines()).contains(
        "note       its bytes were not verified: it was evicted before all of it was read");
  }

  @Test
  void aProgramThatBeginsAnewFails() {
    checkpoint(7, 3);
    strike();
    hear("restart-anew", "cause", "too early: it says nothing of this restart");
    assertThat(course.failure()).isEmpty();
    hear("run-over", "run", 7L, "fault", "NODE_LOST", "cause", "node b is lost");
    hear("restart-anew", "cause", "TOO_MANY_LOST");
    assertThat(course.isDone()).isTrue();
    assertThat(check(result(), "restart")).isEqualTo("FAILED: the program was started without a checkpoint:"
        + " TOO_MANY_LOST");
    assertThat(check(result(), "read")).startsWith("SKIPPED");
    assertThat(result().passed()).isFalse();
  }

  @Test
  void aRunThatEndsByItselfIsNoDrill() {
    checkpoint(7, 3);
    hear("run-over", "run", 6L);                            // an older one
    assertThat(course.isDone()).isFalse();
    hear("run-over", "run", 7L);
    assertThat(course.failure()).contains("the run has ended by itself");
  }

  @Test
  void eventsOfTheLostRunAndOfOutputCountForNothing() {
    upToTheRead();
    hear("dataset-complete", "run", 8L, "dataset", 5);      // no checkpoint
    hear("dataset-complete", "run", 7L, "dataset", 3);
    hear("run-begun", "run", 9L);
    assertThat(course.has(LiveMilestone.PROTECTED)).isFalse();
    assertThat(course.outcome(Optional.empty()).times().seconds(LiveMilestone.BEGUN)).hasValue(4);
  }

  @Test
  void byChanceANodeIsTakenThatIsNotAsked() {
    for (long seed = 0; seed < 100; seed++) {
      assertThat(LivePlan.choose(RUN, List.of(), List.of("a", "c", "d"), "x {node}", seed).victims())
          .containsExactly("b");
    }
    assertThat(LivePlan.choose(RUN, List.of(), List.of("a", "b", "c", "d", "e"), "x {node}", 5).victims())
        .isSubsetOf(RUN.nodes());
    assertThat(PLAN.commandFor("b")).isEqualTo("kill b");
  }

  @Test
  void whatCannotBeDrilledIsRefused() {
    assertThatThrownBy(() -> LivePlan.choose(RUN, List.of("x"), List.of("a"), "kill {node}", 1))
        .hasMessage("--kill-node x: the run has no ranks there; its nodes are a, b, c, d");
    assertThatThrownBy(() -> LivePlan.choose(RUN, List.of("a"), List.of("a"), "kill {node}", 1))
        .hasMessageContaining("nobody is left to ask");
    assertThatThrownBy(() -> LivePlan.choose(RUN, List.of(), List.of("a"), "kill node", 1))
        .hasMessage("--kill-command: there is no {node} in it");
  }
}
