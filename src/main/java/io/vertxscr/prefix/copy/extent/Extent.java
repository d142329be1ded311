package io.vertxscr.prefix.copy.extent;

/**
 * A piece of a node's work in a flush: ranges of cached files, and where their bytes go. Extents of a dataset do not
 * overlap, so they may be copied at the same time, on any threads that move bulk bytes, in any order.
 *
 * @param what names it in diagnoses
 * @param bytes how many it copies
 * @param work does it
 */
public record Extent(String what, long bytes, ExtentCopy work) {
  /**
   * Maximum bytes of an extent: enough work for a thread, little to repeat. A larger file is cut into pieces of this
   * size, and a batch of packed files ends an extent when it reaches it.
   */
  public static final long MOST_BYTES = 64L << 20;

  /** Begins the copy of one extent. */
  @FunctionalInterface
  public interface ExtentCopy {
    /** Touches nothing yet. See {@link Extent#copy}. */
    ResumableCopy begin(Meter meter);
  }

  /** A copy of it that pauses where the meter says so; touches nothing before it is resumed. See {@link #copy}. */
  public ResumableCopy begin(Meter meter) {
    return work.begin(meter);
  }

  /**
   * Copies to where no reader looks yet; durable when this returns. The meter admits every piece. May be repeated, and
   * is done at once where an earlier call, of this daemon or one before it, has done it and that can be told.
   *
   * @throws io.vertxscr.model.ScrException {@link io.vertxscr.model.Fault#CORRUPT} or NO_SUCH_FILE: the cached copy is
   *     bad or gone, and counts as lost; OUTSIDE_PREFIX: a link leads out of the prefix by now; NO_SPACE, IO: the
   *     prefix directory cannot take it now
   */
  public void copy(Meter meter) {
    ResumableCopy.run(begin(meter));
  }
}
