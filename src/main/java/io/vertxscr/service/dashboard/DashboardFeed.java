package io.vertxscr.service.dashboard;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.protocol.app.EventCursor;
import io.vertxscr.protocol.app.EventsRequest;
import io.vertxscr.service.Loop;
import io.vertxscr.service.log.EventsService;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Tells those who look at a dashboard what is so and what happens; asks nobody while nobody looks. On the node's loop.
 *
 * <p>An event makes it ask the node that has published it, which numbers its events, so that each is told once. A
 * picture is drawn when something has changed, and every {@link #ROUND_MS}; the next one not before nine times as long
 * has passed as the last one took, so that a large cluster spends a tenth of its time on it. It is drawn at the next
 * round in any case: a picture that takes long has waited most of that time.
 */
public final class DashboardFeed {
  /** Between two pictures where nothing happens; then all nodes are asked for events, too. */
  static final long ROUND_MS = 10_000;
  private static final long LEAST_MS = 1_000;
  private static final long GATHER_MS = 100;
  private static final int TIMES_AS_LONG = 9;
  /** Events that newcomers are told. */
  private static final int LAST_EVENTS = 300;
  private static final long NS_PER_MS = 1_000_000;

  private final Loop loop;
  private final Supplier<Future<JsonObject>> pictures;
  private final EventsService events;
  private final Supplier<List<String>> members;
  private final Set<Watcher> watchers = new LinkedHashSet<>();
  /** By node, how far its events were told. */
  private final Map<String, Long> told = new HashMap<>();
  private final Deque<JsonObject> last = new ArrayDeque<>();
  /** Nodes that have more to tell. */
  private final Set<String> stirring = new LinkedHashSet<>();
  private Optional<JsonObject> picture = Optional.empty();
  /** Grows with each beginning: what was begun for others before is void. */
  private long term;
  private boolean asking;
  private boolean gathering;
  private boolean drawing;
  private boolean changed;
  private long timer;
  private long dueNs;
  private long earliestNs;
  private long askedAllNs;

  /** Somebody who looks. Must not block. */
  public interface Watcher {
    /** What is so now. */
    void picture(JsonObject picture);

    /** What has happened, oldest first; with the first call what happened before. */
    void events(List<JsonObject> events);
  }

  /** @param pictures draws one. @param members names of all nodes */
  public DashboardFeed(Loop loop, Supplier<Future<JsonObject>> pictures, EventsService events,
      Supplier<List<String>> members) {
    this.loop = loop;
    this.pictures = pictures;
    this.events = events;
    this.members = members;
  }

  /** Tells it everything from now on. */
  public void watch(Watcher watcher) {
    watchers.add(watcher);
    if (watchers.size() > 1) {
      picture.ifPresent(watcher::picture);
      watcher.events(List.copyOf(last));
      return;
    }
    term++;
    askedAllNs = loop.nanoTime() - ROUND_MS * NS_PER_MS;
    draw(term);
  }

  /** Tells it nothing more. */
  public void leave(Watcher watcher) {
    if (watchers.remove(watcher) && watchers.isEmpty()) {
      term++;
      loop.cancel(timer);
      timer = 0;
      told.clear();
      last.clear();
      stirring.clear();
      picture = Optional.empty();
      asking = false;
      gathering = false;
      drawing = false;
      changed = false;
    }
  }

  /** An event was published. Only a hint: what is told comes from the node itself. */
  public void happened(String node, String type) {
    if (watchers.isEmpty()) {
      return;
    }
    stirring.add(node);
    long mine = term;
    if (!gathering) {
      gathering = true;
      loop.after(GATHER_MS, () -> {
        if (mine == term) {
          gathering = false;
          ask();
        }
      });
    }
    if (!type.endsWith("-progress")) {                    // the picture would be new once a second for hours
      changed();
    }
  }

  private void ask() {
    if (asking || stirring.isEmpty()) {
      return;
    }
    asking = true;
    boolean first = told.isEmpty();
    Set<String> present = Set.copyOf(members.get());
    List<String> nodes = stirring.stream().filter(present::contains).toList();
    stirring.clear();
    List<EventCursor> after = told.entrySet().stream().filter(one -> nodes.contains(one.getKey()))
        .map(one -> new EventCursor(one.getKey(), one.getValue())).toList();
    long mine = term;
    events.of(nodes, new EventsRequest(first ? Optional.empty() : Optional.of(after), LAST_EVENTS))
        .onComplete((answer, _) -> {
          if (mine != term) {
            return;
          }
          asking = false;
          if (answer != null) {
            tell(answer, first);
          }
          ask();
        });
  }

  private void tell(JsonObject answer, boolean first) {
    each(answer.getJsonArray("after")).forEach(node -> told.put(node.getString("node"), node.getLong("number")));
    List<JsonObject> fresh = each(answer.getJsonArray("events"));
    last.addAll(fresh);
    while (last.size() > LAST_EVENTS) {
      last.removeFirst();
    }
    if (first || !fresh.isEmpty()) {
      List.copyOf(watchers).forEach(watcher -> watcher.events(fresh));
    }
  }

  private static List<JsonObject> each(JsonArray array) {
    return array.stream().map(JsonObject.class::cast).toList();
  }

  /** Has the next picture drawn as soon as it may be. */
  private void changed() {
    if (drawing) {
      changed = true;
      return;
    }
    drawAt(Math.max(earliestNs, loop.nanoTime() + GATHER_MS * NS_PER_MS));
  }

  private void drawAt(long whenNs) {
    if (timer != 0 && dueNs <= whenNs) {
      return;
    }
    loop.cancel(timer);
    dueNs = whenNs;
    long mine = term;
    timer = loop.after(Math.max(1, (whenNs - loop.nanoTime()) / NS_PER_MS), () -> {
      if (mine == term) {
        draw(mine);
      }
    });
  }

  private void draw(long mine) {
    timer = 0;
    drawing = true;
    changed = false;
    long begunNs = loop.nanoTime();
    if (begunNs - askedAllNs >= ROUND_MS * NS_PER_MS) {
      askedAllNs = begunNs;
      stirring.addAll(members.get());                     // delivery of hints is at most once
      ask();
    }
    pictures.get().onComplete((drawn, _) -> {
      if (mine != term) {
        return;
      }
      drawing = false;
      if (drawn != null) {
        picture = Optional.of(drawn);
        new ArrayList<>(watchers).forEach(watcher -> watcher.picture(drawn));
      }
      long nowNs = loop.nanoTime();
      earliestNs = nowNs + Math.clamp(TIMES_AS_LONG * (nowNs - begunNs), LEAST_MS * NS_PER_MS, ROUND_MS * NS_PER_MS);
      drawAt(nowNs + ROUND_MS * NS_PER_MS);
      if (changed) {
        changed();
      }
    });
  }
}
