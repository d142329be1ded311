package io.vertxscr.examples.heat;

import java.io.IOException;

/** A neighbour did not appear, did not answer in time, or ended its connection. The message names it and the step. */
public final class NeighbourLostException extends IOException {
  private static final long serialVersionUID = 1L;

  NeighbourLostException(String message) {
    super(message);
  }

  NeighbourLostException(String message, Throwable cause) {
    super(message, cause);
  }
}
