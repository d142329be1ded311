package io.vertxscr.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.model.Fault;
import io.vertxscr.service.Event;
import io.vertxscr.service.EventSamples;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Goal: events on the bus are what docs/messages.md says. Method: one of each kind, against its table. */
class EventPublisherTest {
  private static final String HOSTILE = "rank 4: a\u001b[2Jb\n12:00:00.000 INFO  Forged\u202e\u2028";
  private static final Set<String> OF_ALL = Set.of("type", "node", "timeMs", "run", "dataset", "cause");

  private final EventPublisher publisher = new EventPublisher(null, null, "n1");

  @Test
  void noTextOfAnEventHasControlCharacters() {
    assertThat(publisher.json(new Event.FlushFailed(3, 1, Fault.IO, HOSTILE), 1).getString("cause"))
        .isEqualTo("rank 4: a\\u001b[2Jb\\u000a12:00:00.000 INFO  Forged\\u202e\\u2028");
    assertThat(publisher.json(new Event.RestartPoint(3, HOSTILE), 1).encode()).doesNotContain("\\n12:00");
  }

  @Test
  void everyEventHasTheFieldsThatAllHaveAndThoseOfTheDocument() throws IOException {
    Map<String, Set<String>> documented = new TreeMap<>();
    Pattern.compile("(?m)^\\| `([a-z-]+)` \\| ([^|]*)\\| [^|]*\\|$").matcher(events()).results()
        .forEach(row -> documented.put(row.group(1), words(row.group(2))));
    Map<String, Set<String>> published = new TreeMap<>();
    for (Event event : EventSamples.ALL) {
      JsonObject json = publisher.json(event, 1);
      assertThat(json.fieldNames()).containsAll(OF_ALL);
      Set<String> own = new TreeSet<>(json.fieldNames());
      own.removeAll(OF_ALL);
      if (!(event instanceof Event.CallFailed)) {
        published.computeIfAbsent(json.getString("type"), _ -> new TreeSet<>()).addAll(own);
      }
    }

    assertThat(published).isEqualTo(documented);
  }

  @Test
  void anEventSaysWhatWhoWhenAndWhy() {
    Event event = EventSamples.ALL.stream().filter(Event.FlushFailed.class::isInstance).findFirst().orElseThrow();

    assertThat(publisher.json(event, 42)).isEqualTo(new JsonObject().put("type", "flush-failed").put("node", "n1")
        .put("timeMs", 42L).put("run", 0L).put("dataset", 3).put("cause", "/p is full").put("attempt", 1)
        .put("fault", "NO_SPACE"));
  }

  /** Method: a node that dies with an event in hand, and another one that publishes after it. */
  @Test
  void aNodeThatIsGonePublishesNothing() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      Loop loop = new VirtualTime(new SplittableRandom(1)).loop();
      EventPublisher gone = new EventPublisher(loop, vertx.eventBus(), "gone");
      EventPublisher alive = new EventPublisher(loop, vertx.eventBus(), "alive");
      CompletableFuture<String> first = new CompletableFuture<>();
      vertx.eventBus().<JsonObject>consumer(Addresses.EVENTS, event -> first.complete(event.body().getString("node")));
      Event event = EventSamples.ALL.stream().filter(Event.FlushFailed.class::isInstance).findFirst().orElseThrow();

      gone.notice(event);
      gone.close();
      gone.notice(event);
      gone.publish();
      alive.notice(event);
      alive.publish();

      assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo("alive");
    } finally {
      vertx.close().await();
    }
  }

  private static String events() throws IOException {
    String document = Files.readString(Path.of("docs", "messages.md"));
    return document.substring(document.indexOf("\n## Events"));
  }

  private static Set<String> words(String cell) {
    return Pattern.compile("`(\\w+)`").matcher(cell).results().map((MatchResult match) -> match.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
