package io.vertxscr.prefix.copy.extent;

import io.vertxscr.coding.Crc32s;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * A stretch of a large file that one thread reads for its checksum, beside others that read the rest.
 *
 * @param bytes its length
 * @param crc reads it and gives its CRC-32; blocking, for threads that move bulk bytes; throws as a check of the whole
 *     file does
 */
public record CheckedPiece(long bytes, IntSupplier crc) {
  /** Reads a stretch. */
  @FunctionalInterface
  public interface Range {
    int crc(long from, long bytes);
  }

  /** A file of this length, in stretches of at most so many bytes. */
  public static List<CheckedPiece> of(long fileBytes, long pieceBytes, Range range) {
    List<CheckedPiece> pieces = new ArrayList<>();
    for (long at = 0; at < fileBytes; at += pieceBytes) {
      long from = at;
      long bytes = Math.min(pieceBytes, fileBytes - at);
      pieces.add(new CheckedPiece(bytes, () -> range.crc(from, bytes)));
    }
    return pieces;
  }

  /** The checksum of the whole, from those of its pieces in their order. */
  public static int combine(List<CheckedPiece> pieces, List<Integer> crcs) {
    int crc = 0;
    for (int i = 0; i < pieces.size(); i++) {
      crc = Crc32s.combine(crc, crcs.get(i), pieces.get(i).bytes);
    }
    return crc;
  }
}
