package io.vertxscr.cluster.bridge;

/**
 * Bytes and listed files of the calls of all connections of a bridge that wait for their answers. A collective call
 * waits for all ranks, so what one application sends may stay for long. Small calls have a limit of their own: large
 * ones are not in their way. On the event loop of the bridge.
 */
final class OpenCalls {
  private final long limitBytes;
  private final long limitFiles;
  private final long[] bytes = new long[2];
  private long files;

  /**
   * Nothing waits yet.
   *
   * @param limitBytes of the small ones, and of the others; at least one frame of the largest size
   * @param limitFiles of all lists of files together
   */
  OpenCalls(long limitBytes, long limitFiles) {
    this.limitBytes = limitBytes;
    this.limitFiles = limitFiles;
  }

  /** Counts a call. @return whether it fits; else nothing has changed */
  boolean begin(int callBytes, int listedFiles) {
    int kind = kind(callBytes);
    if (bytes[kind] + callBytes > limitBytes || files + listedFiles > limitFiles) {
      return false;
    }
    bytes[kind] += callBytes;
    files += listedFiles;
    return true;
  }

  /** A call that was begun is answered. */
  void end(int callBytes, int listedFiles) {
    bytes[kind(callBytes)] -= callBytes;
    files -= listedFiles;
  }

  /** What waits, in words. */
  @Override
  public String toString() {
    return words(bytes[0] + bytes[1], files);
  }

  /** So much, in words. */
  static String words(long bytes, long files) {
    return bytes + " bytes" + (files == 0 ? "" : " with " + files + " files");
  }

  private static int kind(int callBytes) {
    return callBytes <= FrameBudget.SMALL_BYTES ? 0 : 1;
  }
}
