package io.vertxscr.coding;

import java.util.Arrays;

/**
 * A systematic Reed-Solomon code over GF(2^8). Parity row r is the sum of {@code coefficient(r, m)} times the data of
 * member m; lost data can be computed from as many parity rows.
 *
 * <p>The coefficients are a Cauchy matrix, 1 / (x_r + y_m) with all x and y different: every square part of it can be
 * inverted, which is what "any" above needs. Each column is then divided by its first element, which changes nothing of
 * that and makes row 0 plain exclusive or: with one row this is the XOR scheme. After Bloemer et al., An XOR-Based
 * Erasure-Resilient Coding Scheme (1995), and Plank, Ding, Note: Correction to the 1997 Tutorial (2003).
 *
 * @param members columns of data
 * @param rows rows of parity, from 1; members + rows are at most {@link #MAX_MEMBERS_AND_ROWS} where there is more than
 *     one
 */
public record ReedSolomon(int members, int rows) {
  /** So many different elements has the field. */
  public static final int MAX_MEMBERS_AND_ROWS = Gf256.ELEMENTS;

  public ReedSolomon {
    if (members < 1 || rows < 1 || rows > 1 && members + rows > MAX_MEMBERS_AND_ROWS) {
      throw new IllegalArgumentException("no Reed-Solomon code of " + members + " members and " + rows + " rows");
    }
  }

  /** Factor of the member's data in a row of parity, 1 to 255; 1 in row 0. */
  public int coefficient(int row, int member) {
    if (row < 0 || row >= rows || member < 0 || member >= members) {
      throw new IndexOutOfBoundsException("row " + row + ", member " + member + " of " + this);
    }
    return row == 0 ? 1 : Gf256.divide(members ^ member, members + row ^ member);
  }

  /**
   * Solves for lost data. It uses the parity of these rows, each minus the contributions of the surviving members.
   *
   * @param chosen different rows, as many as members are lost
   * @param lost different members
   * @return at [i][j] the factor of row chosen[j] in the data of member lost[i]
   */
  public int[][] solve(int[] chosen, int[] lost) {
    int size = lost.length;
    if (chosen.length != size) {
      throw new IllegalArgumentException(chosen.length + " rows for " + size + " lost members");
    }
    int[][] matrix = new int[size][2 * size];             // beside it the unit matrix, which becomes the inverse
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < size; j++) {
        matrix[i][j] = coefficient(chosen[i], lost[j]);
      }
      matrix[i][size + i] = 1;
    }
    for (int column = 0; column < size; column++) {
      eliminate(matrix, column);
    }
    int[][] inverse = new int[size][];
    for (int i = 0; i < size; i++) {
      inverse[i] = Arrays.copyOfRange(matrix[i], size, 2 * size);
    }
    return inverse;
  }

  /** Returns a member's contribution to a sum of parity rows, to be cancelled by addition. */
  public int contribution(int[] chosen, int[] factors, int member) {
    int sum = 0;
    for (int i = 0; i < chosen.length; i++) {
      sum ^= Gf256.multiply(factors[i], coefficient(chosen[i], member));
    }
    return sum;
  }

  /** Reduces a column to that of the unit matrix. */
  private static void eliminate(int[][] matrix, int column) {
    int pivot = column;
    while (matrix[pivot][column] == 0) {
      pivot++;                                            // ends: no part of the matrix is singular
    }
    int[] row = matrix[pivot];
    matrix[pivot] = matrix[column];
    matrix[column] = row;
    int divisor = row[column];
    for (int i = 0; i < row.length; i++) {
      row[i] = Gf256.divide(row[i], divisor);
    }
    for (int[] other : matrix) {
      int factor = other == row ? 0 : other[column];
      for (int i = 0; factor != 0 && i < row.length; i++) {
        other[i] ^= Gf256.multiply(factor, row[i]);
      }
    }
  }
}
