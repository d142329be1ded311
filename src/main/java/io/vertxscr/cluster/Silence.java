package io.vertxscr.cluster;

import java.util.Optional;

/**
 * What a node has let others hear of it while somebody waits for it. Pure.
 *
 * <p>Silent is a node whose loop has left the pulses of {@link #LIMIT_MS} unanswered, or says that its storage has not
 * answered for as long. It is silent no more with the next answer that says nothing of the kind. Pulses are counted,
 * not time: to one that was paused itself, all others would seem silent.
 */
final class Silence {
  /** How long nothing is heard before all who wait are told; far above any pause of a healthy node. */
  static final long LIMIT_MS = 30_000;
  /** How often a node is asked while somebody waits for it. */
  static final long PULSE_MS = 5_000;

  private final String node;
  private long unanswered;
  private long storageSilentMs;

  Silence(String node) {
    this.node = node;
  }

  /** It is asked for a sign of life. */
  void asked() {
    unanswered++;
  }

  /** It has answered something. */
  void heard() {
    unanswered = 0;
  }

  /** It has answered a pulse. */
  void heard(long silentMs) {
    heard();
    storageSilentMs = silentMs;
  }

  /** Why its loop is taken for hung. */
  Optional<String> ofLoop() {
    long silentMs = unanswered * PULSE_MS;
    return silentMs < LIMIT_MS ? Optional.empty() : Optional.of(
        "node " + node + " is a member of the cluster, but has not answered for " + silentMs / 1000 + " s");
  }

  /** Why its loop or its storage is taken for hung. */
  Optional<String> of() {
    Optional<String> loop = ofLoop();
    return loop.isPresent() || storageSilentMs < LIMIT_MS ? loop
        : Optional.of("the storage of node " + node + " has not answered for " + storageSilentMs / 1000 + " s");
  }
}
