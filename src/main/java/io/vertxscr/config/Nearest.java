package io.vertxscr.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Suggests corrections of misspelt words. */
public final class Nearest {
  private Nearest() {}

  /** Returns the known word with the smallest edit distance, up to two or a third of the word. Else empty. */
  public static Optional<String> to(String word, Collection<String> known) {
    String wanted = word.toUpperCase(Locale.ROOT);
    return known.stream()
        .min(Comparator.comparingInt(k -> edits(wanted, k.toUpperCase(Locale.ROOT))))
        .filter(k -> edits(wanted, k.toUpperCase(Locale.ROOT)) <= Math.max(2, wanted.length() / 3));
  }

  /**
   * {@code "; did you mean X?"}, or nothing where no known word is near. Words that differ in digits only are not: all
   * other numbers would be as good a guess.
   */
  public static String hint(String word, Collection<String> known) {
    List<String> others = known.stream()
        .filter(k -> k.equalsIgnoreCase(word) || !withoutNumbers(k).equals(withoutNumbers(word))).toList();
    return to(word, others).map(k -> "; did you mean " + k + "?").orElse("");
  }

  private static String withoutNumbers(String word) {
    return word.toUpperCase(Locale.ROOT).replaceAll("[0-9]+", "0");
  }

  /** Letters to insert, delete or replace (Levenshtein), one row of the table at a time. */
  static int edits(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
