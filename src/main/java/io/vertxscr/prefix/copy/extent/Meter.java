package io.vertxscr.prefix.copy.extent;

/**
 * Hears of the bytes of a copy as they pass. Called on the thread that copies, before each piece is written: it may
 * block, to slow the copy down, and may throw, to end it. Shared by copies on several threads.
 */
@FunctionalInterface
public interface Meter {
  /** Nobody counts. */
  Meter NONE = _ -> {};

  /** So many more bytes are about to be written. */
  void passing(int bytes);

  /**
   * So many bytes of the source are done without having passed: they need not be written. Never blocks; negative where
   * more has passed than the source had.
   */
  default void saved(long bytes) {}
}
