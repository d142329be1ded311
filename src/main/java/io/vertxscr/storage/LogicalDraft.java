package io.vertxscr.storage;

import io.vertxscr.coding.Crc32s;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.FilePiece;
import io.vertxscr.placement.FilePieces;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Files of a rank while they are rebuilt from the bytes of its logical file. One {@link LogicalFileWriter} writes all
 * of it, or several write disjoint ranges concurrently. They get the modes and times that are known of them.
 * Thread-safe; blocking.
 *
 * <p>Files grow as drafts in a directory of their own, {@code .scr/draft.<rank>.<random>} of the dataset's, where
 * neither a name of the application nor an older attempt can be in the way; {@link #finish} renames them when the last
 * byte is checked and synced. Closed before that, nothing is left of them, and files that were there are what they
 * were. Renaming several files is not one step: a crash within it leaves some new, which the checksums of the filemap
 * accept, and some old, which they tell apart.
 */
public final class LogicalDraft implements AutoCloseable {
  private final Path datasetDirectory;
  private final RankFiles files;
  private final FilePieces pieces;
  private final List<Growing> growing = new ArrayList<>();
  private Path drafts;

  /** One file. */
  private static final class Growing {
    final FileMeta wanted;
    final TreeMap<Long, Piece> pieces = new TreeMap<>();
    boolean created;
    long writtenBytes;
    long syncedBytes;
    int crc;

    Growing(FileMeta wanted) {
      this.wanted = wanted;
    }
  }

  /** A piece of a file that is written; by its offset. */
  private record Piece(long bytes, int crc) {}

  /**
   * Nothing is written yet.
   *
   * @param files what to make; a file whose checksum is known must get the bytes that have it
   * @throws ScrException BAD_REQUEST for names that lead out of the directory
   */
  public LogicalDraft(Path datasetDirectory, RankFiles files) {
    this.datasetDirectory = datasetDirectory;
    this.files = files;
    this.pieces = new FilePieces(files);
    files.files().forEach(meta -> {
      NodeDirectories.resolve(datasetDirectory, meta.name());
      growing.add(new Growing(meta));
    });
  }

  /** A writer for the whole logical file. */
  public LogicalFileWriter writer() {
    return writer(0, files.bytes());
  }

  /** A writer for this stretch of the logical file, which is no other writer's; for one thread. */
  public LogicalFileWriter writer(long offset, long bytes) {
    return new LogicalFileWriter(this, pieces.of(offset, bytes));
  }

  int rank() {
    return files.rank();
  }

  /** Opens the draft of a file for writing; the first caller creates it. @throws ScrException NO_SPACE, IO */
  synchronized FileChannel open(int fileIndex) {
    Growing file = growing.get(fileIndex);
    Path parent = datasetDirectory.resolve(".scr");
    try {
      if (drafts == null) {
        drafts = Files.createTempDirectory(Trees.make(parent), "draft." + files.rank() + ".");
      }
      Path draft = path(fileIndex);
      if (file.created) {
        return OwnFile.write(draft);
      }
      FileChannel created = OwnFile.create(draft);
      file.created = true;                                // only now: the next writer tries again and meets the cause
      return created;
    } catch (IOException e) {
      throw Faults.io(parent, e);
    }
  }

  /** Path of a file's draft, after its opening. */
  Path path(int fileIndex) {
    return drafts.resolve(Integer.toString(fileIndex));
  }

  /** Names the file that it was to become, not the draft, whose name is one of chance. */
  ScrException failed(int fileIndex, IOException cause) {
    return Faults.io(NodeDirectories.resolve(datasetDirectory, growing.get(fileIndex).wanted.name()), cause);
  }

  /**
   * A piece has all its bytes. With the last one of a file, the file is compared with its checksum and gets its mode
   * and time; the caller syncs it after this, and says so.
   *
   * @throws ScrException CORRUPT where the file has another checksum than it should have; IO
   */
  synchronized void written(FilePiece piece, int crc) {
    Growing file = growing.get(piece.fileIndex());
    file.pieces.put(piece.offset(), new Piece(piece.bytes(), crc));
    file.writtenBytes += piece.bytes();
    if (file.writtenBytes == file.wanted.bytes()) {
      check(file);
      stamp(piece.fileIndex());
    }
  }

  /** A piece of which {@link #written} was said is durable, and the mode and time that its file had then. */
  synchronized void synced(FilePiece piece) {
    growing.get(piece.fileIndex()).syncedBytes += piece.bytes();
  }

  private void check(Growing file) {
    long end = 0;
    for (Map.Entry<Long, Piece> piece : file.pieces.entrySet()) {
      if (piece.getKey() != end) {
        throw new ScrException(Fault.INTERNAL, "rank " + files.rank() + ": " + file.wanted.name()
            + " was written twice or not at all at byte " + end);
      }
      file.crc = Crc32s.combine(file.crc, piece.getValue().crc(), piece.getValue().bytes());
      end += piece.getValue().bytes();
    }
    if (file.wanted.crc().isPresent() && file.wanted.crc().getAsInt() != file.crc) {
      Path path = NodeDirectories.resolve(datasetDirectory, file.wanted.name());
      throw new ScrException(Fault.CORRUPT, "rank " + files.rank() + ": "
          + FileChecks.mismatch(path, file.crc, file.wanted.crc().getAsInt()));
    }
  }

  private void stamp(int fileIndex) {
    FileMeta wanted = growing.get(fileIndex).wanted;
    if (wanted.stamp().isPresent()) {
      try {
        FileStamps.apply(wanted.stamp().get(), path(fileIndex));
      } catch (IOException e) {
        throw failed(fileIndex, e);
      }
    }
  }

  /**
   * Moves the files to their final paths, durably. No writer writes any more.
   *
   * @return the same files with the checksums they have
   * @throws ScrException CORRUPT if bytes are missing; NO_SPACE, IO
   */
  public synchronized RankFiles finish() {
    List<FileMeta> done = new ArrayList<>();
    for (int i = 0; i < growing.size(); i++) {
      Growing file = growing.get(i);
      if (file.wanted.bytes() == 0) {
        makeEmpty(i);
      } else if (file.syncedBytes != file.wanted.bytes()) {
        throw new ScrException(Fault.CORRUPT, "rank " + files.rank() + ": of " + file.wanted.name() + " only "
            + file.syncedBytes + " of " + file.wanted.bytes() + " bytes were written");
      }
      done.add(file.wanted.withCrc(file.crc));
    }
    try {
      rename();
    } catch (IOException e) {
      throw Faults.io(datasetDirectory, e);
    }
    return new RankFiles(files.rank(), done);
  }

  private void makeEmpty(int fileIndex) {
    try (FileChannel channel = open(fileIndex)) {
      check(growing.get(fileIndex));
      stamp(fileIndex);
      channel.force(true);
    } catch (IOException e) {
      throw failed(fileIndex, e);
    }
  }

  private void rename() throws IOException {
    Set<Path> touched = new LinkedHashSet<>();
    for (int i = 0; i < growing.size(); i++) {
      Path path = NodeDirectories.resolve(datasetDirectory, growing.get(i).wanted.name());
      Trees.make(path.getParent());
      Files.move(path(i), path, StandardCopyOption.ATOMIC_MOVE);
      for (Path at = path.getParent(); at.startsWith(datasetDirectory) && touched.add(at); at = at.getParent()) {
        // Collects the directories up to the dataset's.
      }
    }
    for (Path directory : touched) {
      AtomicFile.force(directory);
    }
  }

  @Override
  public synchronized void close() {
    if (drafts != null) {
      try {
        Trees.delete(drafts);
      } catch (IOException e) {
        throw Faults.io(drafts.getParent(), e);
      }
    }
  }
}
