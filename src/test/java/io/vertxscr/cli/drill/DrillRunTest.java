package io.vertxscr.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.drill.DrillNews.Topic;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: what ranks tell is understood, whatever else they print, and counted once for each of them. */
class DrillRunTest {
  private final DrillRun run = new DrillRun(3);

  private void tell(Topic topic, int rank, int step) {
    run.hear(new DrillNews(topic, rank, step), 100L * rank + step);
  }

  @Test
  void newsSurviveTheirLine() {
    DrillNews news = new DrillNews(Topic.DIFFERS, 3, 12, "byte 7 is \"bad\"\n");
    assertThat(news.line()).doesNotContain("\n");
    assertThat(DrillNews.parse(news.line())).contains(news);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "drill", "drill ", "drill {", "drill {}", "drill []", "scr: a remark",
      "drill {\"topic\":\"NONE\",\"rank\":1,\"step\":2,\"text\":\"\"}",
      "drill {\"topic\":\"STEP\",\"rank\":\"1\",\"step\":2,\"text\":\"\"}", "drill {\"topic\":\"STEP\",\"step\":2}"})
  void anythingElseIsNoNews(String line) {
    assertThat(DrillNews.parse(line)).isEmpty();
  }

  @Test
  void allMeansEveryRankOnce() {
    tell(Topic.STEP, 0, 1);
    tell(Topic.STEP, 0, 2);
    tell(Topic.STEP, 1, 1);
    assertThat(run.all(Topic.STEP)).isFalse();
    assertThat(run.reached(Topic.STEP, List.of(0), 2)).isTrue();
    assertThat(run.reached(Topic.STEP, List.of(0, 1), 2)).isFalse();
    tell(Topic.STEP, 2, 5);
    assertThat(run.all(Topic.STEP)).isTrue();
    assertThat(run.all(Topic.STEP, 1)).isTrue();
    assertThat(run.all(Topic.STEP, 2)).isFalse();
    assertThat(run.furthest(Topic.STEP)).isEqualTo(5);
    assertThat(run.together(Topic.STEP)).isEqualTo(1);
    assertThat(run.together(Topic.ANEW)).isEqualTo(-1);
    assertThat(run.furthest(Topic.ANEW)).isEqualTo(-1);
  }

  @Test
  void workIsLostFromTheBeginOfTheFirstRanksCheckpoint() {
    tell(Topic.BEGINS, 2, 5);
    tell(Topic.BEGINS, 0, 5);
    tell(Topic.BEGINS, 1, 5);
    assertThat(run.begun(5)).contains(5L);
    assertThat(run.begun(10)).isEmpty();
  }

  @Test
  void theFirstDifferenceAndTheFailuresOfOtherRanksAreTold() {
    run.hear(new DrillNews(Topic.DIFFERS, 1, 5, "one"), 1);
    run.hear(new DrillNews(Topic.DIFFERS, 2, 5, "two"), 2);
    assertThat(run.difference()).contains("one");
    run.ended(1, "killed");
    run.ended(0, "");
    assertThat(run.failure(List.of(1))).isEmpty();
    assertThat(run.failure(List.of())).contains("rank 1: killed");
    assertThat(run.hasEnded()).isFalse();
    run.ended(2, "lost");
    assertThat(run.hasEnded()).isTrue();
    assertThat(run.failure(List.of(1))).contains("rank 2: lost");
  }
}
