package io.vertxscr.cli.daemon;

import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Limits;
import io.vertxscr.protocol.app.EventCursor;
import io.vertxscr.protocol.app.EventsRequest;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads the events of all nodes, each once, from the first daemon that answers. Each knows those of all. */
public final class EventReader {
  private final SocketOption socket;
  private final Map<String, String> environment;
  /** By node, how far its events were read. */
  private final SortedMap<String, Long> read = new TreeMap<>();

  public EventReader(SocketOption socket, Map<String, String> environment) {
    this.socket = socket;
    this.environment = environment;
  }

  /** Returns the last ones, wherever it has read to. @param most from 1 */
  public List<JsonObject> last(int most) throws IOException, InterruptedException {
    return ask(new EventsRequest(Optional.empty(), most));
  }

  /** Returns those that have come since. @throws ScrException as {@link SocketOption#askAny} */
  public List<JsonObject> next() throws IOException, InterruptedException {
    List<EventCursor> after = read.entrySet().stream().map(one -> new EventCursor(one.getKey(), one.getValue()))
        .toList();
    return ask(new EventsRequest(Optional.of(after), Limits.MAX_EVENTS));
  }

  private List<JsonObject> ask(EventsRequest request) throws IOException, InterruptedException {
    JsonObject answer = socket.askAny(environment, client -> client.events(request));
    answer.getJsonArray("after").forEach(node ->
        read.put(((JsonObject) node).getString("node"), ((JsonObject) node).getLong("number")));
    return answer.getJsonArray("events").stream().map(JsonObject.class::cast).toList();
  }
}
