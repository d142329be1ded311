package io.vertxscr.redundancy;

import io.vertxscr.coding.Xor;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.redundancy.range.RangeStream;
import io.vertxscr.storage.PieceBuffers;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The XOR of several ranges, piece by piece: the streams are read in turn, so that two buffers are enough for any
 * number of them. Shorter ranges count as padded with zeros. Uses the thread's second buffer. Not thread-safe.
 */
final class Fold implements AutoCloseable {
  private final RangeSource source;
  private final List<Input> inputs = new ArrayList<>();

  private static final class Input {
    final RangeStream stream;
    final Optional<PieceMeter> meter;
    long remaining;

    Input(RangeStream stream, long bytes, Optional<PieceMeter> meter) {
      this.stream = stream;
      this.remaining = bytes;
      this.meter = meter;
    }

    /** Reads as much as the range still has, at most up to the limit, and leaves the buffer ready to be read. */
    int read(ByteBuffer into) {
      into.limit((int) Math.min(into.limit(), remaining));
      stream.read(into);
      into.flip();
      meter.ifPresent(m -> m.update(into));
      remaining -= into.limit();
      return into.limit();
    }
  }

  Fold(RangeSource source) {
    this.source = source;
  }

  /** Adds a range whose bytes nobody counts. */
  void add(RangeRequest request) {
    add(request, Optional.empty());
  }

  /** Adds a range; an empty one is not even asked for. */
  void add(RangeRequest request, Optional<PieceMeter> meter) {
    if (request.bytes() > 0) {
      inputs.add(new Input(source.open(request), request.bytes(), meter));
    }
  }

  /** Fills the buffer from 0 to its limit with the sum of the next bytes, and leaves it ready to be read. */
  void next(ByteBuffer sum) {
    int bytes = sum.limit();
    int folded = 0;                                       // so many bytes of the sum have a value; zeros behind
    for (Input input : inputs) {
      if (input.remaining > 0 && folded == 0) {
        folded = input.read(sum);
        MemorySegment.ofBuffer(sum.limit(bytes).position(0)).asSlice(folded).fill((byte) 0);
      } else if (input.remaining > 0) {
        ByteBuffer piece = PieceBuffers.second(bytes);
        Xor.fold(sum, piece, input.read(piece));
      }
    }
    if (folded == 0) {
      MemorySegment.ofBuffer(sum.position(0)).fill((byte) 0);
    }
  }

  @Override
  public void close() {
    ScrException failed = null;
    for (Input input : inputs) {
      try {
        input.stream.close();
      } catch (ScrException e) {
        failed = e;
      }
    }
    if (failed != null) {
      throw failed;
    }
  }
}
