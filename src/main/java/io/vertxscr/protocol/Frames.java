package io.vertxscr.protocol;

import io.vertx.core.json.JsonObject;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;

/**
 * The frames of the Vert.x TCP event-bus bridge, as they travel over the application socket.
 *
 * <pre>
 *   +----------------+---------------------------+
 *   | 4 bytes length | length bytes of JSON      |   length is big-endian, 1 to Limits.MAX_MESSAGE_BYTES
 *   +----------------+---------------------------+
 *   {"type":"send",    "address":..., "replyAddress":..., "body":{...}}                                  a call
 *   {"type":"message", "address":&lt;reply address&gt;, "body":{...}}                                    its answer
 *   {"type":"err",     "address":&lt;reply address&gt;, "failureCode":&lt;fault&gt;, "message":...}   its failure
 *   {"type":"err",     "failureCode":..., "message":...}          belongs to no call; the connection ends
 *   {"type":"ping"} is answered by {"type":"pong"}
 * </pre>
 */
public final class Frames {
  public static final int LENGTH_BYTES = 4;
  public static final String SEND = "send";
  public static final String MESSAGE = "message";
  public static final String ERROR = "err";
  public static final String PING = "ping";
  /** First frame on a TCP connection: authenticates the client. */
  public static final String TOKEN = "token";
  public static final String PONG = "pong";

  private Frames() {}

  /** A call whose answer goes to the reply address, which the caller chooses, unique on its connection. */
  public static JsonObject send(String address, String replyAddress, JsonObject body) {
    return new JsonObject()
        .put("type", SEND).put("address", address).put("replyAddress", replyAddress).put("body", body);
  }

  /** The answer to a call. */
  public static JsonObject message(String replyAddress, JsonObject body) {
    return new JsonObject().put("type", MESSAGE).put("address", replyAddress).put("body", body);
  }

  /** The failure of a call; with a null reply address a failure that belongs to none. */
  public static JsonObject error(String replyAddress, ScrException failure) {
    JsonObject frame = new JsonObject().put("type", ERROR);
    if (replyAddress != null) {
      frame.put("address", replyAddress);
    }
    return frame.put("failureCode", failure.fault().number()).put("failureType", "RECIPIENT_FAILURE")
        .put("message", failure.getMessage());
  }

  /** The answer to a ping. */
  public static JsonObject pong() {
    return new JsonObject().put("type", PONG);
  }

  /** The bytes of a frame, length first. */
  public static byte[] encode(JsonObject frame) {
    byte[] json = Wire.encode(frame);
    return ByteBuffer.allocate(LENGTH_BYTES + json.length).putInt(json.length).put(json).array();
  }
}
