package io.vertxscr.demo;

/** The demo did not go as planned; the message says what happened instead. */
public final class DemoException extends Exception {
  private static final long serialVersionUID = 1L;

  DemoException(String message) {
    super(message);
  }
}
