package io.vertxscr.redundancy;

import io.vertxscr.coding.GfKernels;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.redundancy.range.RangeStream;
import io.vertxscr.storage.PieceBuffers;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Sums of several ranges over GF(2^8), piece by piece. The streams are read in turn, each byte once for all sums, so
 * two buffers suffice for any number of streams. Shorter ranges count as padded with zeros. Uses both buffers of the
 * thread. Not thread-safe.
 */
final class Fold implements AutoCloseable {
  /** Pieces of several sums share a buffer; none is smaller, and the limit on rows keeps it so. */
  private static final int ALIGNMENT_BYTES = 1024;

  private final RangeSource source;
  private final int sums;
  private final List<Input> inputs = new ArrayList<>();

  private static final class Input {
    final RangeStream stream;
    final List<Integer> factors;
    final Optional<PieceMeter> meter;
    long remaining;

    Input(RangeStream stream, Term term, Optional<PieceMeter> meter) {
      this.stream = stream;
      this.factors = term.factors();
      this.remaining = term.request().bytes();
      this.meter = meter;
    }

    boolean isPlain() {
      return factors.size() == 1 && factors.getFirst() == 1;
    }

    /** Reads the rest of the range, at most up to the limit, and flips the buffer for reading. */
    int read(ByteBuffer into) {
      into.limit((int) Math.min(into.limit(), remaining));
      stream.read(into);
      into.flip();
      meter.ifPresent(m -> m.update(into));
      remaining -= into.limit();
      return into.limit();
    }
  }

  /** @param sums how many are computed at once, at most 255 */
  Fold(RangeSource source, int sums) {
    this.source = source;
    this.sums = sums;
  }

  /** Adds a range without a meter. */
  void add(Term term) {
    add(term, Optional.empty());
  }

  /** Adds a range; an empty one is not even asked for. */
  void add(Term term, Optional<PieceMeter> meter) {
    if (term.request().bytes() > 0) {
      inputs.add(new Input(source.open(term.request()), term, meter));
    }
  }

  /**
   * The next bytes of every sum, at most so many and as many of each, ready to be read. They are in the thread's first
   * buffer.
   */
  List<ByteBuffer> next(long most) {
    ByteBuffer buffer = PieceBuffers.first();
    int space = sums == 1 ? buffer.capacity() : buffer.capacity() / sums / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    int bytes = (int) Math.min(most, space);
    List<ByteBuffer> results = new ArrayList<>();
    for (int sum = 0; sum < sums; sum++) {
      results.add(buffer.slice(sum * space, bytes));
    }
    boolean begun = false;
    for (Input input : inputs) {
      if (input.remaining > 0 && !begun && input.isPlain()) {
        ByteBuffer sum = results.getFirst();
        int read = input.read(sum);
        MemorySegment.ofBuffer(sum.limit(bytes).position(0)).asSlice(read).fill((byte) 0);
        begun = true;
      } else if (input.remaining > 0) {
        begin(results, begun);
        begun = true;
        addPiece(results, input, bytes);
      }
    }
    begin(results, begun);
    return results;
  }

  private static void begin(List<ByteBuffer> results, boolean begun) {
    if (!begun) {
      results.forEach(sum -> MemorySegment.ofBuffer(sum).fill((byte) 0));
    }
  }

  private static void addPiece(List<ByteBuffer> results, Input input, int bytes) {
    ByteBuffer piece = PieceBuffers.second(bytes);
    int read = input.read(piece);
    for (int sum = 0; sum < results.size(); sum++) {
      GfKernels.multiplyAdd(results.get(sum), piece, read, input.factors.get(sum));
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
