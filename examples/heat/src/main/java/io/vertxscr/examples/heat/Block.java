package io.vertxscr.examples.heat;

import io.vertxscr.examples.heat.HeatProblem.Rows;
import java.nio.DoubleBuffer;

/**
 * The rows of one rank, with a halo row above and below them. Not for several threads.
 *
 * <p>One step: {@code u' = u + 0.2 (up + down + left + right - 4 u)}, evaluated in this order for every cell, so that
 * the result does not depend on where the blocks begin. The outermost rows and columns of the field keep their
 * temperature.
 */
final class Block {
  private static final double DIFFUSION = 0.2;

  private final int size;
  private final Rows rows;
  private int step;
  private double[] now;
  private double[] next;

  /** Cold everywhere, at step 0. */
  Block(int size, Rows rows) {
    this.size = size;
    this.rows = rows;
    int cells = Math.multiplyExact(Math.addExact(rows.count(), 2), size);
    now = new double[cells];
    next = new double[cells];
  }

  int size() {
    return size;
  }

  Rows rows() {
    return rows;
  }

  int step() {
    return step;
  }

  void setStep(int known) {
    step = known;
  }

  /** Index in {@link #cells} of the first cell of a row of the field; halo rows included. */
  int indexOf(int row) {
    return (row - rows.first() + 1) * size;
  }

  /** The cells at this step. Another array after every {@link #advance}. */
  double[] cells() {
    return now;
  }

  /** All cells of the block's own rows. */
  DoubleBuffer ownCells() {
    return DoubleBuffer.wrap(now, size, rows.count() * size);
  }

  /** One row, halo rows included. */
  DoubleBuffer row(int row) {
    return DoubleBuffer.wrap(now, indexOf(row), size);
  }

  /** Computes the next step. The halo rows must hold the neighbours' rows of this step. */
  void advance() {
    for (int row = rows.first(); row < rows.end(); row++) {
      if (row == 0 || row == size - 1) {
        System.arraycopy(now, indexOf(row), next, indexOf(row), size);
      } else {
        advanceRow(now, next, indexOf(row), size);
      }
    }
    double[] old = now;
    now = next;
    next = old;
    step++;
  }

  private static void advanceRow(double[] from, double[] to, int first, int size) {
    to[first] = from[first];
    for (int i = first + 1; i < first + size - 1; i++) {
      double around = (from[i - size] + from[i + size]) + (from[i - 1] + from[i + 1]);
      to[i] = from[i] + DIFFUSION * (around - 4 * from[i]);
    }
    to[first + size - 1] = from[first + size - 1];
  }
}
