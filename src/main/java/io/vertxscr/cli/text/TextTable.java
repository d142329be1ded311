package io.vertxscr.cli.text;

import java.util.List;
import java.util.Set;

/** Columns of text. */
public final class TextTable {
  private TextTable() {}

  /** Every column as wide as its widest cell, two spaces between them; all rows have the same number of cells. */
  public static List<String> lines(List<List<String>> rows) {
    return lines(rows, Set.of());
  }

  /** The same with some columns, counted from 0, set flush right: numbers. */
  public static List<String> lines(List<List<String>> rows, Set<Integer> flushRight) {
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
        int padding = widths[c] - row.get(c).length();
        boolean right = flushRight.contains(c);
        line.repeat(' ', right ? padding : 0).append(row.get(c)).repeat(' ', (right ? 0 : padding) + 2);
      }
      return line.toString().stripTrailing();
    }).toList();
  }

  /** The rows without their last column, where that says the same in all below the heading: it tells nothing apart. */
  public static List<List<String>> withoutSameLast(List<List<String>> rows) {
    boolean tells = rows.stream().skip(1).map(List::getLast).distinct().count() > 1;
    return tells ? rows : rows.stream().map(row -> row.subList(0, row.size() - 1)).toList();
  }
}
