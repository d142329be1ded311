package io.vertxscr.redundancy.range;

import java.nio.ByteBuffer;

/** The bytes of one {@link RangeRequest}, front to back. Not thread-safe. */
public interface RangeStream extends AutoCloseable {
  /**
   * Fills what remains of the buffer with the next bytes.
   *
   * @throws io.vertxscr.model.ScrException NODE_LOST if the peer died or is silent for too long, CORRUPT if it sends
   *     what is not its protocol, or holds what is not registered, FILE_CHANGED if that dataset is still being
   *     protected, IO; never fewer bytes than asked for
   */
  void read(ByteBuffer into);

  /** Ends the read, possibly early. */
  @Override
  void close();
}
