package io.vertxscr.prefix.copy.extent;

/**
 * Hears of the bytes of a copy as they pass, and says when they may. Called on the thread that copies; never blocks,
 * and may throw, to end the copy.
 */
@FunctionalInterface
public interface Meter {
  /** Nobody counts. */
  Meter NONE = _ -> {};

  /**
   * Whether a piece of at most so many bytes may pass now: asked before it is read. A copy that hears no gives its
   * thread back ({@link ResumableCopy}); one that hears yes tells {@link #passing} next.
   */
  default boolean admits(long bytes) {
    return true;
  }

  /** So many more bytes are about to be written, admitted or not: what follows a last piece is small. */
  void passing(int bytes);

  /**
   * So many bytes of the source are done without having passed: they need not be written. Negative where more has
   * passed than the source had.
   */
  default void saved(long bytes) {}
}
