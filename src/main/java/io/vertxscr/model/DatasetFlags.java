package io.vertxscr.model;

/**
 * Purpose of a dataset. On the wire the bits of the API: 1 checkpoint, 2 output; and 4 for shards, unknown to SCR.
 *
 * @param checkpoint the application can restart from it
 * @param output it must reach the prefix directory
 * @param shards a restart may have another number of ranks, each of which may read every file
 *     (docs/flows/shards.md); only of a checkpoint
 */
public record DatasetFlags(boolean checkpoint, boolean output, boolean shards) {
  public static final DatasetFlags CHECKPOINT = new DatasetFlags(true, false);
  public static final DatasetFlags OUTPUT = new DatasetFlags(false, true);
  public static final DatasetFlags CHECKPOINT_AND_OUTPUT = new DatasetFlags(true, true);
  public static final DatasetFlags SHARDS = new DatasetFlags(true, false, true);

  /** The largest of {@link #bits}. */
  public static final int MAX_BITS = 7;

  public DatasetFlags {
    if (!checkpoint && !output) {
      throw new ScrException(Fault.BAD_REQUEST, "a dataset is a checkpoint, output, or both; flags say neither");
    }
    if (shards && !checkpoint) {
      throw new ScrException(Fault.BAD_REQUEST, "only a checkpoint can have shards; flags say that it is none");
    }
  }

  /** A dataset whose files are bound to ranks. */
  public DatasetFlags(boolean checkpoint, boolean output) {
    this(checkpoint, output, false);
  }

  /** Decodes the bits of the API. */
  public static DatasetFlags ofBits(int bits) {
    if (!areBits(bits)) {
      throw new ScrException(Fault.BAD_REQUEST, "flags " + bits
          + ": expected 1 (checkpoint), 2 (output) or 3 (both), with 1 and 3 also 4 more (shards)");
    }
    return new DatasetFlags((bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0);
  }

  /** Whether these are the bits of some flags. */
  public static boolean areBits(int bits) {
    return bits >= 1 && bits <= 3 || bits == 5 || bits == MAX_BITS;
  }

  public int bits() {
    return (checkpoint ? 1 : 0) | (output ? 2 : 0) | (shards ? 4 : 0);
  }
}
