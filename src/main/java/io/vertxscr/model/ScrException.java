package io.vertxscr.model;

import java.util.Objects;

/**
 * An expected failure. Its message names the rank, dataset, file or node concerned, and what to do where that is known.
 *
 * <p>Unchecked, because it travels through futures; told apart from bugs by its type alone.
 */
public final class ScrException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Fault fault;

  public ScrException(Fault fault, String message) {
    super(Objects.requireNonNull(message));
    this.fault = Objects.requireNonNull(fault);
  }

  public ScrException(Fault fault, String message, Throwable cause) {
    super(Objects.requireNonNull(message), cause);
    this.fault = Objects.requireNonNull(fault);
  }

  public Fault fault() {
    return fault;
  }
}
