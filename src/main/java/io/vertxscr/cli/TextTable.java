package io.vertxscr.cli;

import java.util.List;

/** Columns of text. */
final class TextTable {
  private TextTable() {}

  /** Every column as wide as its widest cell, two spaces between them; all rows have the same number of cells. */
  static List<String> lines(List<List<String>> rows) {
    int columns = rows.getFirst().size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int c = 0; c < columns; c++) {
        widths[c] = Math.max(widths[c], row.get(c).length());
      }
    }
    return rows.stream().map(row -> {
      var line = new StringBuilder();
      for (int c = 0; c < columns; c++) {
        line.append(row.get(c)).repeat(' ', widths[c] - row.get(c).length() + 2);
      }
      return line.toString().stripTrailing();
    }).toList();
  }
}
