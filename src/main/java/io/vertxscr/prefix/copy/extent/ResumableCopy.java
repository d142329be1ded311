package io.vertxscr.prefix.copy.extent;

/**
 * A copy that gives its thread back where its {@link Meter} admits no further piece. It goes on later, on any thread
 * that moves bulk bytes. Files stay open between; buffers belong to the thread, so nothing is in them then. Used by one
 * thread at a time, with a happens-before from each call to the next.
 */
public interface ResumableCopy extends AutoCloseable {
  /**
   * Copies pieces as long as the meter admits them; blocks on files only.
   *
   * @return whether all is copied, durable, and closed; otherwise it is to be called again
   * @throws io.vertxscr.model.ScrException as {@link Extent#copy}; then only {@link #close} is called
   */
  boolean resume();

  /** Closes its files and removes what nobody could use, unless all is copied. Idempotent, throws nothing. */
  @Override
  void close();

  /** The same copy with something to do, on the same thread, once all is copied. */
  default ResumableCopy then(Runnable after) {
    ResumableCopy copy = this;
    return new ResumableCopy() {
      @Override
      public boolean resume() {
        boolean copied = copy.resume();
        if (copied) {
          after.run();
        }
        return copied;
      }

      @Override
      public void close() {
        copy.close();
      }
    };
  }

  /** Copies everything at once, for a meter that admits every piece. */
  static void run(ResumableCopy copy) {
    try (copy) {
      if (!copy.resume()) {
        throw new IllegalStateException("the meter of a copy that cannot wait admits only a part");
      }
    }
  }
}
