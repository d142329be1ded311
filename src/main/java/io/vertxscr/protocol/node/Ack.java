package io.vertxscr.protocol.node;

/** Done, nothing more to say. */
public record Ack() {
  public static final Ack ACK = new Ack();
}
