package io.vertxscr.placement;

import io.vertxscr.model.RankFiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Translates ranges of a rank's logical file to stretches of its files. Immutable. */
public final class FilePieces {
  private final long[] ends;

  public FilePieces(RankFiles files) {
    ends = new long[files.files().size()];
    long end = 0;
    for (int i = 0; i < ends.length; i++) {
      end += files.files().get(i).bytes();
      ends[i] = end;
    }
  }

  /** Length of the logical file without padding. */
  public long bytes() {
    return ends.length == 0 ? 0 : ends[ends.length - 1];
  }

  /** The pieces of this range in order. Padding behind the end has none, nor have empty files. */
  public List<FilePiece> of(long offset, long bytes) {
    List<FilePiece> pieces = new ArrayList<>();
    long end = Math.min(offset + bytes, bytes());
    long at = offset;
    for (int file = at < end ? fileAt(at) : 0; at < end; file++) {
      long begin = file == 0 ? 0 : ends[file - 1];
      long stop = Math.min(end, ends[file]);
      if (stop > at) {
        pieces.add(new FilePiece(file, at - begin, stop - at));
        at = stop;
      }
    }
    return pieces;
  }

  /** The first file that ends behind this offset. */
  private int fileAt(long offset) {
    int found = Arrays.binarySearch(ends, offset);
    int file = found < 0 ? -found - 1 : found + 1;
    while (ends[file] <= offset) {                        // empty files end where their forerunner does
      file++;
    }
    return file;
  }
}
