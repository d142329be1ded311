package io.vertxscr.client;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;

/** What {@link Output} and {@link Restart} have in common. */
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

  /** Where to write or read a file; see {@link Phase#route}. */
  public Path route(String name) {
    return Blocking.call(() -> phase.route(name));
  }

  /** Ends the phase, with all ranks; see {@link Phase#complete}. */
  public void complete(boolean valid) {
    Blocking.call(() -> phase.complete(valid));
  }

  /** Completes as not valid what was not completed, so that an exception on the way cannot pass for a good dataset. */
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
