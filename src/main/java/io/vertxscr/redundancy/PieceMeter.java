package io.vertxscr.redundancy;

import io.vertxscr.model.RankFiles;
import io.vertxscr.placement.FilePiece;
import io.vertxscr.placement.FilePieces;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/** Computes the checksums of a range of a logical file in the pass that copies it. Not thread-safe. */
final class PieceMeter {
  private final int ownerRank;
  private final long offset;
  private final long bytes;
  private final List<FilePiece> pieces;
  private final List<Integer> crcs;
  private final CRC32 crc = new CRC32();
  private long bytesInPiece;

  /** Expects the bytes of this range; it must not reach behind the end of the logical file. */
  PieceMeter(RankFiles owner, long offset, long bytes) {
    ownerRank = owner.rank();
    this.offset = offset;
    this.bytes = bytes;
    pieces = new FilePieces(owner).of(offset, bytes);
    crcs = new ArrayList<>(pieces.size());
  }

  /** Counts what remains of the buffer; its position stays where it is. */
  void update(ByteBuffer passing) {
    ByteBuffer rest = passing.duplicate();
    int end = rest.limit();
    while (rest.position() < end) {
      long piece = pieces.get(crcs.size()).bytes();
      int count = (int) Math.min(end - rest.position(), piece - bytesInPiece);
      crc.update(rest.limit(rest.position() + count));
      bytesInPiece += count;
      if (bytesInPiece == piece) {
        crcs.add((int) crc.getValue());
        crc.reset();
        bytesInPiece = 0;
      }
    }
  }

  /** The checksums, when all bytes have passed. */
  RangeChecksums done() {
    return new RangeChecksums(ownerRank, offset, bytes, crcs);
  }
}
