package io.vertxscr.transfer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Direct buffers of one size that are used again. Thread-safe.
 *
 * <p>The buffer that was given back last is handed out first: its bytes are still in the processor's cache. Memory is
 * allocated as it is needed, up to the limit, and kept.
 */
public final class Buffers {
  private final int bufferBytes;
  private final int maxBuffers;
  private final Deque<ByteBuffer> free = new ArrayDeque<>();
  private int leased;

  /** @param maxBuffers that may be out at once; the memory is at most {@code maxBuffers * bufferBytes} */
  public Buffers(int bufferBytes, int maxBuffers) {
    this.bufferBytes = bufferBytes;
    this.maxBuffers = maxBuffers;
  }

  /** A buffer for the time of a job: close it, on any thread, and do not touch its bytes afterwards. */
  public final class Lease implements AutoCloseable {
    private ByteBuffer buffer;

    private Lease(ByteBuffer buffer) {
      this.buffer = buffer;
    }

    /** The buffer: cleared when it was leased, its content arbitrary. */
    public ByteBuffer bytes() {
      if (buffer == null) {
        throw new IllegalStateException("the buffer was given back");
      }
      return buffer;
    }

    /** Gives it back. Doing so again has no effect. */
    @Override
    public void close() {
      synchronized (Buffers.this) {
        if (buffer != null) {
          free.push(buffer);
          buffer = null;
          leased--;
        }
      }
    }
  }

  /** @throws ScrException BUSY if all are out */
  public synchronized Lease lease() {
    if (leased == maxBuffers) {
      throw new ScrException(Fault.BUSY, "all " + maxBuffers + " transfer buffers are in use");
    }
    ByteBuffer buffer = free.isEmpty() ? ByteBuffer.allocateDirect(bufferBytes) : free.pop();
    leased++;
    return new Lease(buffer.clear());
  }

  public int bufferBytes() {
    return bufferBytes;
  }

  /** How many are out: 0 when no job runs, or one has leaked. */
  public synchronized int leased() {
    return leased;
  }
}
