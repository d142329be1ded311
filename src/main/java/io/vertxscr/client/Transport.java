package io.vertxscr.client;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.json.JsonRecords;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Connection of calls to the node. Calls are delivered in the order in which they are made; any number may wait for
 * their answers. Any thread.
 */
public interface Transport {
  /**
   * Sends a call.
   *
   * @param body the fields of a request, as {@link JsonRecords} writes them
   * @return the answer; fails with a {@link ScrException} only: what the node answered, or {@link Fault#NODE_LOST} once
   *     the connection or the node is gone. It completes on a thread of the transport, which must not be blocked
   */
  CompletableFuture<Map<String, Object>> request(Verb verb, Map<String, Object> body);

  /** Sets the listener for the loss of the node, called at once if it is lost already. Not told by {@link #close}. */
  void onClosed(Consumer<ScrException> listener);

  /** Ends the connection; calls that wait fail with {@link Fault#NODE_LOST}. Doing it twice does nothing. */
  void close();
}
