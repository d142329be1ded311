package io.vertxscr.storage;

import io.vertxscr.model.Limits;
import java.nio.ByteBuffer;

/**
 * Two direct buffers for each bulk thread, of {@link Limits#PIECE_BYTES} unless configured otherwise. Memory is bounded
 * by threads, never by files or members. Only for the platform threads of the transfer engine and tests; a caller must
 * be done with a buffer before it calls anything else that uses the same one.
 */
public final class PieceBuffers {
  private static final ThreadLocal<PieceBuffers> OF_THREAD =
      ThreadLocal.withInitial(() -> new PieceBuffers(Limits.PIECE_BYTES));

  private final ByteBuffer first;
  private final ByteBuffer second;

  private PieceBuffers(int bytes) {
    first = ByteBuffer.allocateDirect(bytes);
    second = ByteBuffer.allocateDirect(bytes);
  }

  /** The calling thread moves pieces of this size from now on, within the limits. */
  public static void ofThisThread(int bytes) {
    OF_THREAD.set(new PieceBuffers(Math.clamp(bytes, Limits.MIN_PIECE_BYTES, Limits.MAX_PIECE_BYTES)));
  }

  /** The calling thread's first buffer. */
  public static ByteBuffer first() {
    return first(Integer.MAX_VALUE);
  }

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
