package io.vertxscr.cli.text;

/** How a piece of text is drawn where there are colours. */
public enum Paint {
  PLAIN(""), STRONG("\u001b[1m"), FAINT("\u001b[2m"), GOOD("\u001b[32m"), WARNING("\u001b[33;1m"),
  ALARM("\u001b[31;1m");

  private static final String END = "\u001b[0m";

  private final String code;

  Paint(String code) {
    this.code = code;
  }

  String on(String text) {
    return code.isEmpty() || text.isEmpty() ? text : code + text + END;
  }
}
