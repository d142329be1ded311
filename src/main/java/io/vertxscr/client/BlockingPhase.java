package io.vertxscr.client;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;

/** Common part of {@link Output} and {@link Restart}. */
abstract sealed class BlockingPhase implements AutoCloseable permits Output, Restart {
  private final Phase phase;

  BlockingPhase(Phase phase) {
    this.phase = phase;
  }

  /** Id of the dataset. */
  public int dataset() {
    return phase.dataset();
  }

  /** Name of the dataset. */
  public String name() {
    return phase.name();
  }

  /** Returns the path at which to write or read a file; see {@link Phase#route}. */
  public Path route(String name) {
    return Blocking.call(() -> phase.route(name));
  }

  /** Completes the phase, with all ranks; see {@link Phase#complete}. */
  public void complete(boolean valid) {
    Blocking.call(() -> phase.complete(valid));
  }

  /** Completes an open phase as not valid, so that an exception cannot publish a partial dataset. */
  @Override
  public void close() {
    if (!phase.isOpen()) {
      return;
    }
    try {
      complete(false);
    } catch (ScrException e) {
      if (e.fault() != Fault.NOT_VALID) {
        throw e;
      }
    }
  }
}
