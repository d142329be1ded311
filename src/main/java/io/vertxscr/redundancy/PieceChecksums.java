package io.vertxscr.redundancy;

import io.vertxscr.coding.Crc32s;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.FilePiece;
import io.vertxscr.placement.FilePieces;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Combines the checksums of pieces into those of files. */
public final class PieceChecksums {
  private PieceChecksums() {}

  /**
   * Returns the files with their checksums.
   *
   * @param ranges in any order; those of other owners are left aside
   * @throws ScrException CORRUPT if they do not cover every byte exactly once: other nodes have sent some of them; the
   *     message says where
   */
  public static RankFiles combine(RankFiles files, Collection<RangeChecksums> ranges) {
    FilePieces layout = new FilePieces(files);
    List<RangeChecksums> own = ranges.stream().filter(range -> range.ownerRank() == files.rank())
        .sorted(Comparator.comparingLong(RangeChecksums::offset)).toList();
    int[] crcs = new int[files.files().size()];
    long end = 0;
    for (RangeChecksums range : own) {
      if (range.offset() != end || range.bytes() <= 0 || range.bytes() > layout.bytes() - end) {
        throw wrong(files, "do not go on at byte " + end + " of " + layout.bytes() + " but with " + range.bytes()
            + " bytes from " + range.offset());
      }
      add(range, layout.of(range.offset(), range.bytes()), crcs, files);
      end += range.bytes();
    }
    if (end < layout.bytes()) {
      throw wrong(files, "end at byte " + end + " of " + layout.bytes());
    }
    List<FileMeta> checked = new ArrayList<>(crcs.length);
    for (int index = 0; index < crcs.length; index++) {
      checked.add(files.files().get(index).withCrc(crcs[index]));
    }
    return new RankFiles(files.rank(), checked);
  }

  private static void add(RangeChecksums range, List<FilePiece> pieces, int[] crcs, RankFiles files) {
    if (pieces.size() != range.crcs().size()) {
      throw wrong(files, "are " + range.crcs().size() + " for the " + pieces.size() + " pieces of "
          + range.bytes() + " bytes from " + range.offset());
    }
    for (int i = 0; i < pieces.size(); i++) {
      FilePiece piece = pieces.get(i);
      int crc = range.crcs().get(i);
      int file = piece.fileIndex();
      crcs[file] = piece.offset() == 0 ? crc : Crc32s.combine(crcs[file], crc, piece.bytes());
    }
  }

  private static ScrException wrong(RankFiles files, String how) {
    return new ScrException(Fault.CORRUPT, "checksums of rank " + files.rank() + " " + how);
  }
}
