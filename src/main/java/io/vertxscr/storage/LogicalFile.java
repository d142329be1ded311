package io.vertxscr.storage;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.FilePiece;
import io.vertxscr.placement.FilePieces;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * A rank's files read as one, with zeros behind the end. Keeps one file open at a time. Not thread-safe; blocking.
 *
 * <p>Files that are not as long as registered are refused instead of padded: sums over other bytes than the application
 * wrote would make every rebuild wrong.
 */
public final class LogicalFile implements AutoCloseable {
  private final Path datasetDirectory;
  private final RankFiles files;
  private final FilePieces pieces;
  private final Fault ifDifferent;
  /** Directories of the files that are no links, each looked at once. */
  private final Set<Path> levels = new HashSet<>();
  private FileChannel open;
  private int openIndex = -1;

  /**
   * @param ifDifferent fault for a missing file or another length: FILE_CHANGED while the dataset is being protected,
   *     CORRUPT later
   */
  public LogicalFile(Path datasetDirectory, RankFiles files, Fault ifDifferent) {
    this.datasetDirectory = datasetDirectory;
    this.files = files;
    this.pieces = new FilePieces(files);
    this.ifDifferent = ifDifferent;
  }

  /** Fills what remains of the buffer with the bytes from this offset on. */
  public void read(ByteBuffer into, long offset) {
    int end = into.limit();
    for (FilePiece piece : pieces.of(offset, into.remaining())) {
      into.limit(into.position() + Math.toIntExact(piece.bytes()));
      readPiece(into, piece);
      into.limit(end);
    }
    while (into.remaining() >= Long.BYTES) {
      into.putLong(0);
    }
    while (into.hasRemaining()) {
      into.put((byte) 0);
    }
  }

  private void readPiece(ByteBuffer into, FilePiece piece) {
    FileMeta meta = files.files().get(piece.fileIndex());
    Path path = NodeDirectories.resolve(datasetDirectory, meta.name());
    try {
      if (openIndex != piece.fileIndex()) {
        switchTo(piece.fileIndex(), path, meta);
      }
      long at = piece.offset();
      while (into.hasRemaining()) {
        int count = open.read(into, at);
        if (count < 0) {
          throw different(path, "ends at byte " + at + " instead of " + meta.bytes());
        }
        at += count;
      }
    } catch (NoSuchFileException _) {
      throw different(path, "is missing");
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  private void switchTo(int index, Path path, FileMeta meta) throws IOException {
    close();
    open = OwnFile.readBelow(datasetDirectory, path, levels);
    openIndex = index;
    if (open.size() != meta.bytes()) {
      throw different(path, "has " + open.size() + " bytes instead of " + meta.bytes());
    }
  }

  private ScrException different(Path path, String how) {
    return new ScrException(ifDifferent, path + " of rank " + files.rank() + " " + how);
  }

  @Override
  public void close() {
    openIndex = -1;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        throw Faults.io(datasetDirectory, e);
      } finally {
        open = null;
      }
    }
  }
}
