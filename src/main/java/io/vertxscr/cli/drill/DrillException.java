package io.vertxscr.cli.drill;

/** The drill cannot go on; the message says why. */
final class DrillException extends Exception {
  private static final long serialVersionUID = 1L;

  DrillException(String message) {
    super(message);
  }
}
