package io.vertxscr.storage;

import io.vertxscr.model.Limits;
import java.nio.ByteBuffer;

/**
 * Two direct buffers of {@link Limits#PIECE_BYTES} for each thread that moves bulk bytes: memory is bounded by the
 * threads, never by files or members. Only for the platform threads of the transfer engine and tests; a caller must be
 * done with a buffer before it calls anything else that uses the same one.
 */
public final class PieceBuffers {
  private static final ThreadLocal<PieceBuffers> OF_THREAD = ThreadLocal.withInitial(PieceBuffers::new);

  private final ByteBuffer first = ByteBuffer.allocateDirect(Limits.PIECE_BYTES);
  private final ByteBuffer second = ByteBuffer.allocateDirect(Limits.PIECE_BYTES);

  private PieceBuffers() {}

  /** The calling thread's first buffer, with room for this many bytes. */
  public static ByteBuffer first(long bytes) {
    return limited(OF_THREAD.get().first, bytes);
  }

  /** The calling thread's second buffer, with room for this many bytes. */
  public static ByteBuffer second(long bytes) {
    return limited(OF_THREAD.get().second, bytes);
  }

  private static ByteBuffer limited(ByteBuffer buffer, long bytes) {
    return buffer.clear().limit((int) Math.min(bytes, buffer.capacity()));
  }
}
