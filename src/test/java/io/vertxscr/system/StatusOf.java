package io.vertxscr.system;

import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import java.util.concurrent.TimeUnit;

/** Asks a daemon for its status, as often as one likes. */
final class StatusOf implements AutoCloseable {
  private final ScrClient client;

  StatusOf(DaemonProcess daemon) throws Exception {
    client = ScrClient.connect(daemon.socket());
  }

  JsonObject now() throws Exception {
    return new JsonObject(client.status().get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS));
  }

  @Override
  public void close() {
    client.close();
  }
}
