package io.vertxscr.protocol;

/** Sent by an application that is a member of the cluster: this client of mine has ended. Repeating it is harmless. */
public record ClientClosed(String client) {
  public ClientClosed {
    FieldChecks.text("client", client);
  }
}
