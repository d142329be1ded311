package io.vertxscr.protocol.node;

import io.vertxscr.protocol.Wire;
import java.nio.charset.StandardCharsets;

/**
 * A record inside a message whose other readers need not know its type: its JSON text. So the leader's book and the
 * event bus carry parts and results of gathers unopened, and each is written and read once.
 */
public record Packed(String json) {
  /** Nothing to say. */
  public static final Packed NOTHING = new Packed("{}");

  /** Packs a record. */
  public static Packed of(Object message) {
    return new Packed(new String(Wire.toBytes(message), StandardCharsets.UTF_8));
  }

  /**
   * Unpacks it.
   *
   * @throws io.vertxscr.model.ScrException BAD_REQUEST if it is none of that type
   */
  public <T> T as(Class<T> type) {
    return Wire.fromBytes(json.getBytes(StandardCharsets.UTF_8), type);
  }
}
