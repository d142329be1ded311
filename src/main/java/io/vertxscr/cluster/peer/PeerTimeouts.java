package io.vertxscr.cluster.peer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;

/**
 * Timeouts of one end of a connection. Kept to within a quarter of the shortest.
 *
 * @param connectMs for the TCP connection
 * @param handshakeMs for the whole handshake, however it trickles
 * @param silenceMs without a single byte while a client waits for its answer. A server that waits for a slow disk is
 *     silent too.
 * @param idleMs for which a server keeps a connection on which the client neither asks for anything nor takes what it
 *     asked for. Not shorter than {@code silenceMs}: a client that waits for one peer takes nothing from the others.
 */
public record PeerTimeouts(int connectMs, int handshakeMs, int silenceMs, int idleMs) {
  public static final PeerTimeouts DEFAULT = new PeerTimeouts(2_000, 5_000, 30_000, 60_000);

  public PeerTimeouts {
    if (Math.min(Math.min(connectMs, handshakeMs), Math.min(silenceMs, idleMs)) < 1) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "timeouts between peers are at least 1 ms");
    }
    if (idleMs < silenceMs) {
      throw new ScrException(Fault.BAD_CONFIGURATION,
          "idle peers are kept for " + idleMs + " ms, which is shorter than the silence of " + silenceMs + " ms");
    }
  }

  /** Interval of the watchdog: a fraction of the shortest timeout, with negligible load. */
  int tickMs() {
    int shortest = Math.min(handshakeMs, Math.min(silenceMs, idleMs));
    return Math.clamp(shortest / 8, 2, 250);
  }
}
