package io.vertxscr.placement;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.List;

/**
 * Layout of a dataset's bytes in its containers. Pure.
 *
 * <p>All files of a dataset stand one behind the other, node by node: that is the dataset's <em>stream</em>, and an
 * offset in it says all. Containers are the stream cut every {@code containerBytes}. A node with bytes begins at a
 * multiple of {@code alignBytes} within a container, so that no two nodes write to the same stripe; what is skipped for
 * it is a hole without an owner.
 *
 * <pre>
 *   node        n1              n2      n3
 *   stream  |ffffffff|fff|....|fffff|..|ffffffffff|
 *   containers  ctr.0        |      ctr.1     |  ctr.2
 * </pre>
 *
 * @param containerBytes of every container but the last
 * @param alignBytes at least 1; more than a container has: every node begins a container
 */
public record ContainerLayout(long containerBytes, long alignBytes) {
  public ContainerLayout {
    if (containerBytes < 1 || alignBytes < 1) {
      throw new ScrException(Fault.BAD_REQUEST,
          "containers of " + containerBytes + " bytes, aligned to " + alignBytes + ": both count from 1");
    }
  }

  /** Returns the stream offset of each node's first file, in the same order. A prefix sum over the nodes. */
  public List<Long> starts(List<Long> nodeBytes) {
    List<Long> starts = new ArrayList<>();
    long end = 0;
    for (long bytes : nodeBytes) {
      long start = bytes == 0 ? end : aligned(end);
      starts.add(start);
      end = Math.addExact(start, bytes);
    }
    return starts;
  }

  /** The first offset from here on that is a multiple of the alignment within its container. */
  public long aligned(long offset) {
    long within = offset % containerBytes;
    long container = offset - within;
    long up = Math.ceilDiv(within, alignBytes) * alignBytes;
    return container + Math.min(up, containerBytes);
  }

  /** Returns the number of containers for a stream that ends here. */
  public int containers(long end) {
    return Math.toIntExact(Math.ceilDiv(end, containerBytes));
  }

  /**
   * Returns the pieces of this range in order, none empty. An empty range has one empty piece at its offset, so that an
   * empty file is in a container too.
   */
  public List<ContainerPiece> pieces(long offset, long bytes) {
    List<ContainerPiece> pieces = new ArrayList<>();
    long at = offset;
    do {
      long within = at % containerBytes;
      long here = Math.min(containerBytes - within, offset + bytes - at);
      pieces.add(new ContainerPiece(Math.toIntExact(at / containerBytes), within, here));
      at += here;
    } while (at < offset + bytes);
    return pieces;
  }
}
