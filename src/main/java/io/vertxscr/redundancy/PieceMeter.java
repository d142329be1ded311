package io.vertxscr.redundancy;

import io.vertxscr.model.RankFiles;
import io.vertxscr.placement.FilePiece;
import io.vertxscr.placement.FilePieces;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/** Takes the checksums of a range of a logical file while its bytes pass. Not thread-safe. */
final class PieceMeter {
  private final int ownerRank;
  private final List<FilePiece> pieces;
  private final List<PieceChecksum> done = new ArrayList<>();
  private final CRC32 crc = new CRC32();
  private long bytesInPiece;

  /** Expects the bytes of this range; it must not reach behind the end of the logical file. */
  PieceMeter(RankFiles owner, long offset, long bytes) {
    ownerRank = owner.rank();
    pieces = new FilePieces(owner).of(offset, bytes);
  }

  /** Counts what remains of the buffer; its position stays where it is. */
  void update(ByteBuffer bytes) {
    ByteBuffer rest = bytes.duplicate();
    while (rest.hasRemaining()) {
      FilePiece piece = pieces.get(done.size());
      int count = (int) Math.min(rest.remaining(), piece.bytes() - bytesInPiece);
      crc.update(rest.slice(rest.position(), count));
      rest.position(rest.position() + count);
      bytesInPiece += count;
      if (bytesInPiece == piece.bytes()) {
        done.add(new PieceChecksum(ownerRank, piece.fileIndex(), piece.offset(), piece.bytes(), (int) crc.getValue()));
        crc.reset();
        bytesInPiece = 0;
      }
    }
  }

  /** The checksums of all pieces that passed whole. */
  List<PieceChecksum> done() {
    return List.copyOf(done);
  }
}
