package io.vertxscr.cluster.ops;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Limits;
import io.vertxscr.service.dashboard.DashboardFeed.Watcher;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Those who look at the dashboard, as server-sent events (HTML, 9.2). {@code picture} is what is so now, {@code events}
 * what has happened. On one event loop.
 *
 * <p>There are {@link Limits#MAX_WATCHERS} at most. One that does not read gets the newest picture alone once it does;
 * it is closed when it has read nothing for {@link #SLOW_BEATS} heartbeats, or when too many events wait for it.
 */
final class LiveStreams {
  static final long HEARTBEAT_MS = 5_000;
  private static final int SLOW_BEATS = 3;
  private static final String HEARTBEAT = ": alive\n\n";

  private final Vertx vertx;
  private final long heartbeatMs;
  private final Map<HttpConnection, Stream> open = new HashMap<>();

  LiveStreams(Vertx vertx, long heartbeatMs) {
    this.vertx = vertx;
    this.heartbeatMs = heartbeatMs;
  }

  boolean isFull() {
    return open.size() >= Limits.MAX_WATCHERS;
  }

  /** Answers with a stream, until its connection ends. @param close ends the connection at once */
  void begin(HttpConnection connection, HttpServerResponse response, Dashboard dashboard, Runnable close) {
    if (response.closed()) {
      return;                                             // it has ended before its answer
    }
    DashboardFiles.HEADERS.forEach(response::putHeader);
    response.putHeader(HttpHeaders.CONTENT_TYPE, "text/event-stream; charset=utf-8").setChunked(true);
    Stream stream = new Stream(response, dashboard, close);
    open.put(connection, stream);
    stream.begin();
  }

  /** A connection has ended. */
  void ended(HttpConnection connection) {
    Stream stream = open.remove(connection);
    if (stream != null) {
      stream.end();
    }
  }

  private final class Stream implements Watcher {
    private final Context context = vertx.getOrCreateContext();
    private final HttpServerResponse response;
    private final Dashboard dashboard;
    private final Runnable close;
    private final List<JsonObject> waiting = new ArrayList<>();
    private Optional<JsonObject> newest = Optional.empty();
    private int fullBeats;
    private long timer;
    private boolean ended;

    Stream(HttpServerResponse response, Dashboard dashboard, Runnable close) {
      this.response = response;
      this.dashboard = dashboard;
      this.close = close;
    }

    void begin() {
      response.write(HEARTBEAT);
      response.drainHandler(_ -> {
        fullBeats = 0;
        send();
      });
      timer = vertx.setPeriodic(heartbeatMs, _ -> beat());
      dashboard.watch(this);
    }

    void end() {
      ended = true;
      vertx.cancelTimer(timer);
      dashboard.leave(this);
    }

    private void beat() {
      if (!response.writeQueueFull()) {
        fullBeats = 0;
        response.write(HEARTBEAT);
      } else if (++fullBeats >= SLOW_BEATS) {
        close.run();
      }
    }

    @Override
    public void picture(JsonObject picture) {
      context.runOnContext(_ -> {
        newest = Optional.of(picture);
        send();
      });
    }

    @Override
    public void events(List<JsonObject> events) {
      context.runOnContext(_ -> {
        waiting.addAll(events);
        if (waiting.size() > Limits.MAX_EVENTS) {
          close.run();
        }
        send();
      });
    }

    private void send() {
      if (ended || response.writeQueueFull()) {
        return;
      }
      if (!waiting.isEmpty()) {
        write("events", new JsonArray(List.copyOf(waiting)).encode());
        waiting.clear();
      }
      newest.ifPresent(picture -> write("picture", picture.encode()));
      newest = Optional.empty();
    }

    /** JSON has no line feeds of its own. */
    private void write(String type, String json) {
      response.write("event: " + type + "\ndata: " + json + "\n\n");
    }
  }
}
