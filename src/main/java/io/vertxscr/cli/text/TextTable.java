package io.vertxscr.cli.text;

import io.vertxscr.model.Names;
import java.util.List;
import java.util.Set;

/** Columns of text. */
public final class TextTable {
  private TextTable() {}

  /** Aligns columns to their widest cells, two spaces between them. All rows have the same number of cells. */
  public static List<String> lines(List<List<String>> rows) {
    return lines(rows, Set.of());
  }

  /** Aligns columns, those given, counted from 0, to the right: numbers. */
  public static List<String> lines(List<List<String>> cells, Set<Integer> flushRight) {
    List<List<String>> rows = cells.stream().map(row -> row.stream().map(Names::printable).toList()).toList();
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

  /** Returns the rows without their last column if all its cells below the heading are equal. */
  public static List<List<String>> withoutSameLast(List<List<String>> rows) {
    boolean tells = rows.stream().skip(1).map(List::getLast).distinct().count() > 1;
    return tells ? rows : rows.stream().map(row -> row.subList(0, row.size() - 1)).toList();
  }
}
