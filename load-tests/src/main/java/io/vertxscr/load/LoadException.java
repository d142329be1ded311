package io.vertxscr.load;

/** A measurement could not be made; the sentence says why. */
final class LoadException extends RuntimeException {
  private static final long serialVersionUID = 1;

  LoadException(String what) {
    super(what);
  }

  LoadException(String what, Throwable cause) {
    super(what, cause);
  }
}
