package io.vertxscr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.service.Event;
import io.vertxscr.service.EventJson;
import io.vertxscr.service.EventSamples;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Goal: each event is one line that people read, with all that it says. */
class EventLineTest {
  private static String line(Event event) {
    return EventLine.of(EventJson.of(event, "n1", 1_000), ZoneOffset.UTC).plain();
  }

  @Test
  void anEventSaysWhenWhoWhatAndWhy() {
    assertThat(line(new Event.FlushDone(3, 2, 1_500_000_000, 3_200_000)))
        .isEqualTo("1970-01-01 00:00:01 n1 flush-done: dataset 3, attempt 2, 1.5 GB, flush 3.200 s");
    assertThat(line(new Event.FlushProgress(3, 1, new Event.CopyProgress(50, 200, 10, OptionalLong.of(15_000)))))
        .endsWith("flush-progress: dataset 3, attempt 1, 25 % of 200 B, 10 B/s, 15 s left");
    assertThat(line(new Event.DatasetDropped(3, "x", false))).endsWith("dataset-dropped: dataset 3, name x");
    assertThat(line(new Event.DatasetDropped(3, "x", true))).endsWith("dataset-dropped: dataset 3, name x, deleted");
    assertThat(line(new Event.NodeLeft("n2"))).endsWith("n1 node-left: about n2");
    assertThat(line(new Event.RunOver(7, 0, Optional.of(Fault.NODE_LOST), "node n2 has left")))
        .endsWith("run-over: run 7, fault NODE_LOST, node n2 has left");
  }

  @Test
  void ofEveryEventNoFieldIsMissingAndNoneBreaksTheLine() {
    for (Event event : EventSamples.ALL) {
      JsonObject json = EventJson.of(event, "n1", 1_000);
      String line = EventLine.of(json, ZoneOffset.UTC).plain();
      assertThat(line).contains(json.getString("type")).contains(json.getString("cause"));
      assertThat(line.chars().noneMatch(Names::isControl)).as(line).isTrue();
      json.forEach(field -> {
        if (field.getValue() instanceof String text && !text.isEmpty()) {
          assertThat(line).as(field.getKey()).contains(text);
        }
      });
    }
    assertThat(EventLine.of(EventJson.of(new Event.RestartPoint(1, "\u001b[2J"), "n1", 1).put("x", "\u001b[3J"),
        ZoneOffset.UTC).plain()).doesNotContain("\u001b");
  }
}
