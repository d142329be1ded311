package io.vertxscr.redundancy.range;

import io.vertxscr.redundancy.range.RangeRequest.RangeKind;
import io.vertxscr.storage.RankInMemory;
import java.nio.ByteBuffer;
import java.util.Map;

/** Ranges of files that are in memory; all others from another source. Thread-safe; its streams are not. */
public final class RangesInMemory implements RangeSource {
  private final Map<Integer, RankInMemory> small;
  private final RangeSource others;

  /** @param small by rank */
  public RangesInMemory(Map<Integer, RankInMemory> small, RangeSource others) {
    this.small = Map.copyOf(small);
    this.others = others;
  }

  @Override
  public RangeStream open(RangeRequest request) {
    RankInMemory files = request.kind() == RangeKind.FILES ? small.get(request.rank()) : null;
    return files == null ? others.open(request) : new BytesStream(files.bytes(), request.offset());
  }

  /** A range of bytes, and zeros behind their end. */
  private static final class BytesStream implements RangeStream {
    private final byte[] bytes;
    private long at;

    BytesStream(byte[] bytes, long offset) {
      this.bytes = bytes;
      this.at = offset;
    }

    @Override
    public void read(ByteBuffer into) {
      long end = at + into.remaining();
      if (at < bytes.length) {
        into.put(bytes, (int) at, (int) Math.min(into.remaining(), bytes.length - at));
      }
      while (into.hasRemaining()) {
        into.put((byte) 0);
      }
      at = end;
    }

    @Override
    public void close() {
      // nothing is open
    }
  }
}
