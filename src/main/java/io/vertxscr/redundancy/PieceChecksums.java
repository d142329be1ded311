package io.vertxscr.redundancy;

import io.vertxscr.coding.Crc32s;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;

/** Puts the checksums of files together from those of their pieces. */
public final class PieceChecksums {
  private PieceChecksums() {}

  /**
   * The same files with their checksums known.
   *
   * @param pieces in any order; those of other owners are left aside
   * @throws ScrException INTERNAL if the pieces do not cover every byte exactly once; the message names the file
   */
  public static RankFiles combine(RankFiles files, Collection<PieceChecksum> pieces) {
    List<PieceChecksum> own = pieces.stream()
        .filter(piece -> piece.ownerRank() == files.rank())
        .sorted(Comparator.comparingInt(PieceChecksum::fileIndex).thenComparingLong(PieceChecksum::offset))
        .toList();
    Iterator<PieceChecksum> inOrder = own.iterator();
    List<FileMeta> checked = new ArrayList<>();
    for (int index = 0; index < files.files().size(); index++) {
      checked.add(combine(files, index, inOrder));
    }
    if (inOrder.hasNext()) {
      throw new ScrException(Fault.INTERNAL, "rank " + files.rank() + " has no bytes for " + inOrder.next());
    }
    return new RankFiles(files.rank(), checked);
  }

  private static FileMeta combine(RankFiles files, int index, Iterator<PieceChecksum> inOrder) {
    FileMeta meta = files.files().get(index);
    int crc = 0;
    long end = 0;
    while (end < meta.bytes()) {
      PieceChecksum piece = inOrder.hasNext() ? inOrder.next() : null;
      if (piece == null || piece.fileIndex() != index || piece.offset() != end || piece.bytes() <= 0
          || piece.bytes() > meta.bytes() - end) {
        throw new ScrException(Fault.INTERNAL, "checksums of " + meta.name() + " of rank " + files.rank()
            + " do not go on at byte " + end + " of " + meta.bytes() + " but with " + piece);
      }
      crc = Crc32s.combine(crc, piece.crc(), piece.bytes());
      end += piece.bytes();
    }
    return meta.withCrc(crc);
  }
}
