package io.vertxscr.service.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.protocol.node.run.EventsAfter;
import io.vertxscr.service.Event;
import io.vertxscr.service.EventSamples;
import io.vertxscr.service.VirtualTime;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Goal: who asks later hears each event once, in order, and a node that runs for years keeps few. */
class EventHistoryTest {
  private static final EventsAfter ALL = new EventsAfter(OptionalLong.empty(), Limits.MAX_EVENTS);

  private final EventHistory history = new EventHistory(new VirtualTime(new SplittableRandom(1)).loop(), "n1");

  private static Event.FlushProgress progress(int dataset, long done) {
    return new Event.FlushProgress(dataset, 1, new Event.CopyProgress(done, 100, 1, OptionalLong.empty()));
  }

  private List<String> types(EventsAfter asked) {
    return history.after(asked).events().stream().map(text -> new JsonObject(text).getString("type")).toList();
  }

  @Test
  void eachEventIsToldOnceToWhoSaysWhatWasReadThoughTheClockStandsStill() {
    history.notice(new Event.NodeJoined("a"));
    long read = history.after(ALL).last();
    assertThat(types(ALL)).containsExactly("node-joined");
    history.notice(new Event.NodeLeft("a"));
    history.notice(new Event.FlushStarted(1));
    assertThat(types(new EventsAfter(OptionalLong.of(read), 9))).containsExactly("node-left", "flush-started");
    assertThat(types(new EventsAfter(OptionalLong.of(history.after(ALL).last()), 9))).isEmpty();
    assertThat(types(new EventsAfter(OptionalLong.empty(), 2))).containsExactly("node-left", "flush-started");
  }

  @Test
  void ofProgressTheLastWordIsKeptAtItsTime() {
    history.notice(progress(1, 10));
    history.notice(progress(2, 10));
    long read = history.after(ALL).last();
    history.notice(new Event.FlushStarted(3));
    history.notice(progress(1, 90));
    assertThat(history.after(ALL).events()).hasSize(3).last().asString().contains("\"doneBytes\":90");
    assertThat(types(new EventsAfter(OptionalLong.of(read), 9))).containsExactly("flush-started", "flush-progress");
  }

  @Test
  void theOldestIsForgottenAndFailedCallsAreNone() {
    history.notice(new Event.CallFailed("route", Fault.IO));
    assertThat(history.after(ALL).events()).isEmpty();
    for (int i = 1; i <= Limits.MAX_EVENTS + 5; i++) {
      history.notice(new Event.FlushStarted(i));
    }
    assertThat(history.after(ALL).events()).hasSize(Limits.MAX_EVENTS).first().asString().contains("\"dataset\":6,");
  }

  @Test
  void everyKindOfEventIsKept() {
    EventSamples.ALL.forEach(history::notice);
    assertThat(history.after(ALL).events()).hasSize(
        (int) EventSamples.ALL.stream().filter(event -> !(event instanceof Event.CallFailed)).count());
  }
}
