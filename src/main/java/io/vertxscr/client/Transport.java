package io.vertxscr.client;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Verb;
import java.util.function.Consumer;

/**
 * Connection of calls to the node. Calls are delivered in the order in which they are made; any number may wait for
 * their answers. Any thread.
 */
public interface Transport {
  /**
   * Sends a call.
   *
   * @return the answer; fails with a {@link ScrException} only: what the node answered, or {@link Fault#NODE_LOST} once
   *     the connection or the node is gone. It completes on a thread of the transport, which must not be blocked
   */
  Future<JsonObject> request(Verb verb, JsonObject body);

  /** Sets the listener for the loss of the node, called at once if it is lost already. Not told by {@link #close}. */
  void onClosed(Consumer<ScrException> listener);

  /** Closes the connection; open calls fail with {@link Fault#NODE_LOST}. Doing it twice does nothing. */
  Future<Void> close();
}
