package io.vertxscr.service;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;

/** The newest leadership that a node has heard of. On the node's loop only. */
public final class Epoch {
  private long value;

  public long value() {
    return value;
  }

  /** Raises the epoch to a newer one. */
  public void raise(long heard) {
    value = Math.max(value, heard);
  }

  /**
   * Admits a leader's message, or refuses one of an older epoch (fencing).
   *
   * @throws ScrException NOT_LEADER if a newer leadership is known
   */
  public void admit(long heard) {
    if (heard < value) {
      throw new ScrException(Fault.NOT_LEADER, "message of epoch " + heard + ", this node has seen " + value);
    }
    value = heard;
  }
}
