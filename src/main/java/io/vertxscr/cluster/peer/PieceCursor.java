package io.vertxscr.cluster.peer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.OwnFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.util.List;

/** Walks over the pieces of a range and has at most one file open. */
final class PieceCursor implements AutoCloseable {
  private final List<OpenRange.Piece> pieces;
  private int index;
  private long done;                            // bytes of the piece at index that are behind us
  private FileChannel file;

  /** @param skip bytes from the front that are not wanted */
  PieceCursor(List<OpenRange.Piece> pieces, long skip) {
    this.pieces = pieces;
    this.done = skip;
    while (index < pieces.size() && done >= pieces.get(index).bytes()) {
      done -= pieces.get(index).bytes();
      index++;
    }
  }

  /**
   * Sends up to {@code atMost} bytes. Returns how many; 0 behind the last piece.
   *
   * @throws ScrException NO_SUCH_FILE, FILE_CHANGED, IO: nothing was sent by this call
   */
  long transferTo(PeerChannel peer, long atMost) {
    if (index == pieces.size()) {
      return 0;
    }
    OpenRange.Piece piece = pieces.get(index);
    try {
      if (file == null) {
        file = OwnFile.read(piece.file());
      }
      long sent = peer.transferFrom(file, piece.offset() + done, Math.min(atMost, piece.bytes() - done));
      if (sent <= 0) {
        throw new ScrException(Fault.FILE_CHANGED, piece.file() + " ends at byte " + file.size() + ", not at "
            + (piece.offset() + piece.bytes()));
      }
      done += sent;
      if (done == piece.bytes()) {
        nextPiece();
      }
      return sent;
    } catch (NoSuchFileException e) {
      throw new ScrException(Fault.NO_SUCH_FILE, piece.file() + " does not exist", e);
    } catch (IOException e) {
      // An error of the file or of the connection; the next send detects the latter.
      throw new ScrException(Fault.IO, piece.file() + ": " + e.getMessage(), e);
    }
  }

  private void nextPiece() throws IOException {
    closeFile();
    done = 0;
    do {
      index++;
    } while (index < pieces.size() && pieces.get(index).bytes() == 0);
  }

  private void closeFile() throws IOException {
    FileChannel open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }

  @Override
  public void close() {
    try {
      closeFile();
    } catch (IOException _) {
      // It was only read.
    }
  }
}
