package io.vertxscr.storage;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.FilePiece;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Iterator;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Writes one stretch of a {@link LogicalDraft}, from its begin to its end, and syncs what it writes. Keeps one file
 * open at a time. Not thread-safe; blocking.
 */
public final class LogicalFileWriter implements AutoCloseable {
  private final LogicalDraft draft;
  private final Iterator<FilePiece> pieces;
  private final CRC32 crc = new CRC32();
  private FilePiece piece;
  private FileChannel open;
  private long bytesLeft;

  LogicalFileWriter(LogicalDraft draft, List<FilePiece> pieces) {
    this.draft = draft;
    this.pieces = pieces.iterator();
  }

  /**
   * Appends what remains of the buffer.
   *
   * @throws ScrException CORRUPT where a file is whole now, with another checksum than it should have, or behind the
   *     last byte of the stretch; NO_SPACE, IO
   */
  public void write(ByteBuffer from) {
    int end = from.limit();
    while (from.hasRemaining()) {
      if (open == null) {
        openNext();
      }
      int bytes = (int) Math.min(from.remaining(), bytesLeft);
      from.limit(from.position() + bytes);
      crc.update(from.duplicate());
      try {
        AtomicFile.writeFully(open, from);
        from.limit(end);
        bytesLeft -= bytes;
        if (bytesLeft == 0) {
          endPiece();
        }
      } catch (IOException e) {
        throw draft.failed(piece.fileIndex(), e);
      }
    }
  }

  private void openNext() {
    if (!pieces.hasNext()) {
      throw new ScrException(Fault.CORRUPT, "rank " + draft.rank() + ": more bytes than its files have");
    }
    piece = pieces.next();
    bytesLeft = piece.bytes();
    crc.reset();
    open = draft.open(piece.fileIndex());
    try {
      open.position(piece.offset());
    } catch (IOException e) {
      throw draft.failed(piece.fileIndex(), e);
    }
  }

  private void endPiece() throws IOException {
    draft.written(piece, (int) crc.getValue());
    open.force(true);
    draft.synced(piece);
    open.close();
    open = null;
  }

  @Override
  public void close() {
    if (open != null) {
      try {
        open.close();
        open = null;
      } catch (IOException e) {
        throw draft.failed(piece.fileIndex(), e);
      }
    }
  }
}
