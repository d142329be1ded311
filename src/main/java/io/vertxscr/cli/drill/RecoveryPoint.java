package io.vertxscr.cli.drill;

import java.util.Locale;

/** A point of a recovery, a constant of an enum. */
interface RecoveryPoint {
  /** Of the constant. */
  String name();

  /** For people. */
  String words();

  /** Its name in JSON: {@code firstStep} of {@code FIRST_STEP}. */
  default String field() {
    StringBuilder field = new StringBuilder();
    for (String word : name().toLowerCase(Locale.ROOT).split("_")) {
      field.append(field.isEmpty() ? word : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
    }
    return field.toString();
  }
}
