package io.vertxscr.examples.heat;

/**
 * Parameters of the computation; the same for all ranks.
 *
 * @param size rows and columns of the field
 * @param steps time steps from the picture to the final field
 * @param checkpointEvery steps between two checkpoints; 0 for none
 */
public record HeatProblem(int size, int steps, int checkpointEvery) {
  private static final int MAX_SIZE = 1 << 15;

  public HeatProblem {
    if (size < 3 || size > MAX_SIZE) {
      throw new IllegalArgumentException("size " + size + ": expected 3 to " + MAX_SIZE + " rows and columns");
    }
    if (steps < 0 || checkpointEvery < 0) {
      throw new IllegalArgumentException("steps " + steps + ", a checkpoint every " + checkpointEvery
          + " steps: neither can be negative");
    }
  }

  /** Returns the problem without checkpoints. */
  public HeatProblem withoutCheckpoints() {
    return new HeatProblem(size, steps, 0);
  }

  /** Bytes of the whole field. */
  public long bytes() {
    return (long) size * size * Double.BYTES;
  }

  boolean checkpointAfter(int step) {
    return checkpointEvery > 0 && step % checkpointEvery == 0;
  }

  /** The rows of one rank: as even as they can be split. */
  Rows rowsOf(int rank, int ranks) {
    int first = (int) ((long) size * rank / ranks);
    int end = (int) ((long) size * (rank + 1) / ranks);
    return new Rows(first, end - first);
  }

  /** Consecutive rows of the field. */
  record Rows(int first, int count) {
    int end() {
      return first + count;
    }
  }
}
