package io.vertxscr.cluster.bridge;

/**
 * Bytes of the calls of all connections of a bridge that wait for their answers. A collective call waits for all ranks,
 * so what one application sends may stay for long. Small calls have a limit of their own: large ones are not in their
 * way. On the event loop of the bridge.
 */
final class OpenCalls {
  private final long limitBytes;
  private final long[] bytes = new long[2];

  /** @param limitBytes of the small ones, and of the others; at least one frame of the largest size */
  OpenCalls(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Counts a call. @return whether it fits; else nothing has changed */
  boolean begin(int callBytes) {
    int kind = kind(callBytes);
    if (bytes[kind] + callBytes > limitBytes) {
      return false;
    }
    bytes[kind] += callBytes;
    return true;
  }

  /** A call that was begun is answered. */
  void end(int callBytes) {
    bytes[kind(callBytes)] -= callBytes;
  }

  /** Bytes of all that wait. */
  long bytes() {
    return bytes[0] + bytes[1];
  }

  private static int kind(int callBytes) {
    return callBytes <= FrameBudget.SMALL_BYTES ? 0 : 1;
  }
}
