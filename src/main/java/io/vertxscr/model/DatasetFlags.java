package io.vertxscr.model;

/**
 * Purpose of a dataset. On the wire the bits of the API: 1 checkpoint, 2 output.
 *
 * @param checkpoint the application can restart from it
 * @param output it must reach the prefix directory
 */
public record DatasetFlags(boolean checkpoint, boolean output) {
  public static final DatasetFlags CHECKPOINT = new DatasetFlags(true, false);
  public static final DatasetFlags OUTPUT = new DatasetFlags(false, true);
  public static final DatasetFlags CHECKPOINT_AND_OUTPUT = new DatasetFlags(true, true);

  public DatasetFlags {
    if (!checkpoint && !output) {
      throw new ScrException(Fault.BAD_REQUEST, "a dataset is a checkpoint, output, or both; flags say neither");
    }
  }

  /** Decodes the bits of the API. */
  public static DatasetFlags ofBits(int bits) {
    if (bits < 1 || bits > 3) {
      throw new ScrException(Fault.BAD_REQUEST, "flags " + bits + ": expected 1 (checkpoint), 2 (output) or 3 (both)");
    }
    return new DatasetFlags((bits & 1) != 0, (bits & 2) != 0);
  }

  public int bits() {
    return (checkpoint ? 1 : 0) | (output ? 2 : 0);
  }
}
