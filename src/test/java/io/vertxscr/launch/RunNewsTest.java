package io.vertxscr.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: one line says where a run begins, and one what only the caches have at the end. */
class RunNewsTest {
  private final RunNews news = new RunNews();

  @Test
  void aRunBeginsAtTheStartOrRestartsFromADatasetWithTheWaysOfItsFiles() {
    news.started();
    assertThat(news.begun(1, 1))
        .isEqualTo("1 rank on 1 node: there is no checkpoint to restart from: they begin at the start");
    news.writing(3, "step-3", true, false);
    news.started();
    assertThat(news.restored(3, 4, 0, 2, 1)).isEmpty();
    assertThat(news.begun(7, 2)).isEqualTo("7 ranks on 2 nodes: they restart from dataset 3 'step-3' (files of ranks:"
        + " 4 as they lay in the caches, 2 rebuilt, 1 from the prefix directory)");
  }

  @Test
  void anOlderCheckpointOnOfferAfterAFailedOneIsToldAtOnce() {
    news.restored(3, 4, 0, 0, 0);
    news.begun(4, 2);
    assertThat(news.restored(2, 0, 4, 0, 0))
        .contains("the next one that ranks can restart from is dataset 2 (files of ranks: 4 moved from another cache)");
  }

  @Test
  void whatAnEarlierRunRestartedFromIsNotToldOfALaterOne() {
    news.restored(3, 4, 0, 0, 0);
    news.started();
    assertThat(news.begun(4, 2)).endsWith("they begin at the start");
  }

  @Test
  void whatOnlyTheCachesHaveIsNamedWithTheReason() {
    assertThat(news.leftInCaches(List.of("a"))).isEmpty();
    news.writing(2, "b.2", true, false);
    news.complete(1);
    news.complete(2);
    news.flushFailed(2, "no space left");
    news.complete(3);
    assertThat(news.leftInCaches(List.of("a", "b")))
        .contains("only in the caches of a,b: datasets 1, 2 'b.2', 3; the last flush failed: no space left");
    news.flushed(2);
    assertThat(news.leftInCaches(List.of("a"))).contains("only in the caches of a: dataset 3");
    news.gone(3);
    assertThat(news.leftInCaches(List.of("a"))).isEmpty();
  }

  @Test
  void outputThatOnlyTheCachesHaveIsNamedThoughSomethingNewerIsFlushed() {
    news.writing(1, "result", false, true);
    news.complete(1);
    news.flushFailed(1, "no space left");
    news.writing(2, "step-2", true, true);
    news.complete(2);
    news.writing(3, "step-3", true, false);
    news.complete(3);
    news.flushed(3);
    assertThat(news.leftInCaches(List.of("a"))).contains(
        "only in the caches of a: datasets 1 'result', 2 'step-2'; the last flush failed: no space left");
    news.flushed(2);
    news.flushed(1);
    assertThat(news.leftInCaches(List.of("a"))).isEmpty();
  }
}
