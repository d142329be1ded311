package io.vertxscr.service.run;

import io.vertxscr.service.Loop;

/**
 * Whether the loop of this node has stood still for so long that others may take the node for lost.
 *
 * <p>As under SIGSTOP, or on a machine that is suspended. The members miss a node after five seconds of silence
 * ({@code HazelcastConfig}). Whoever looks first afterwards finds it, before anything else that has arrived meanwhile.
 * On the node's loop only.
 */
final class Standstill {
  /** It must be looked at that often. */
  static final long LOOK_MS = 1_000;
  /** Between a look that is late on a busy machine and what the members wait for. */
  private static final long LEAST_NS = 3_000_000_000L;

  private final Loop loop;
  private long lastNs;

  Standstill(Loop loop) {
    this.loop = loop;
  }

  /** Looks begin now. */
  void begin() {
    lastNs = loop.nanoTime();
  }

  /** Whether the loop has stood still since the last look; this is one. */
  boolean hasBeen() {
    long nowNs = loop.nanoTime();
    boolean stood = nowNs - lastNs > LEAST_NS;
    lastNs = nowNs;
    return stood;
  }
}
