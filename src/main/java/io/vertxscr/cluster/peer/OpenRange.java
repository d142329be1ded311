package io.vertxscr.cluster.peer;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** Files that are being served: they may not be deleted or written over before {@link #close}. */
public interface OpenRange extends AutoCloseable {
  /**
   * A part of one file.
   *
   * @param offset where it begins in the file, in bytes
   * @param bytes its length; the file is served as changed where it is shorter
   */
  record Piece(Path file, long offset, long bytes) {
    public Piece {
      Objects.requireNonNull(file);
      if (offset < 0 || bytes < 0) {
        throw new IllegalArgumentException(file + ": " + bytes + " bytes at " + offset);
      }
    }
  }

  /** In the order that makes up the range, one after the other. */
  List<Piece> pieces();

  /** Whether bytes behind the last piece read as zeros; otherwise they must not be requested. */
  boolean zerosBehind();

  @Override
  void close();
}
