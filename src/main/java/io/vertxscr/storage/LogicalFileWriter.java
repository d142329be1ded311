package io.vertxscr.storage;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32;

/**
 * Makes a rank's files again from the bytes of its logical file, with the modes and times that are known of them. Not
 * thread-safe; blocking.
 *
 * <p>Files grow as drafts in a directory of their own, {@code .scr/draft.<rank>.<random>} of the dataset's, where
 * neither a name of the application nor an older attempt can be in the way; {@link #finish} renames them when the last
 * byte is checked and synced. Closed before that, nothing is left of them, and files that were there are what they
 * were. Renaming several files is not one step: a crash within it leaves some new, which the checksums of the filemap
 * accept, and some old, which they tell apart.
 */
public final class LogicalFileWriter implements AutoCloseable {
  private final Path datasetDirectory;
  private final Path drafts;
  private final RankFiles files;
  private final List<FileMeta> written = new ArrayList<>();
  private final CRC32 crc = new CRC32();
  private FileChannel open;
  private long bytesInFile;

  /**
   * @param files what to write; a file whose checksum is known must get the bytes that have it
   * @throws ScrException BAD_REQUEST for names that lead out of the directory, NO_SPACE, IO
   */
  public LogicalFileWriter(Path datasetDirectory, RankFiles files) {
    this.datasetDirectory = datasetDirectory;
    this.files = files;
    files.files().forEach(meta -> NodeDirectories.resolve(datasetDirectory, meta.name()));
    Path parent = datasetDirectory.resolve(".scr");
    try {
      drafts = Files.createTempDirectory(Files.createDirectories(parent), "draft." + files.rank() + ".");
      openNext();
    } catch (IOException e) {
      throw Faults.io(parent, e);
    }
  }

  /**
   * Appends what remains of the buffer.
   *
   * @throws ScrException CORRUPT where a file ends with another checksum than it should have, or behind the last byte
   *     of the last file; NO_SPACE, IO
   */
  public void write(ByteBuffer from) {
    int end = from.limit();
    try {
      while (from.hasRemaining()) {
        if (open == null) {
          throw new ScrException(Fault.CORRUPT, "rank " + files.rank() + ": more bytes than its files have");
        }
        int bytes = (int) Math.min(from.remaining(), current().bytes() - bytesInFile);
        from.limit(from.position() + bytes);
        crc.update(from.duplicate());
        AtomicFile.writeFully(open, from);
        from.limit(end);
        bytesInFile += bytes;
        openNext();
      }
    } catch (IOException e) {
      throw Faults.io(drafts, e);
    }
  }

  /**
   * Puts the files in their places, durably.
   *
   * @return the same files with the checksums they have
   * @throws ScrException CORRUPT if bytes are missing; NO_SPACE, IO
   */
  public RankFiles finish() {
    if (open != null || written.size() < files.files().size()) {
      throw new ScrException(Fault.CORRUPT, "rank " + files.rank() + ": bytes end in " + current().name() + " at "
          + bytesInFile + " of " + current().bytes());
    }
    Set<Path> touched = new LinkedHashSet<>();
    try {
      for (int i = 0; i < written.size(); i++) {
        Path path = NodeDirectories.resolve(datasetDirectory, written.get(i).name());
        Files.createDirectories(path.getParent());
        Files.move(drafts.resolve(Integer.toString(i)), path, StandardCopyOption.ATOMIC_MOVE);
        for (Path at = path.getParent(); at.startsWith(datasetDirectory) && touched.add(at); at = at.getParent()) {
          // Collects the directories up to the dataset's.
        }
      }
      for (Path directory : touched) {
        AtomicFile.force(directory);
      }
      return new RankFiles(files.rank(), written);
    } catch (IOException e) {
      throw Faults.io(datasetDirectory, e);
    }
  }

  private FileMeta current() {
    return files.files().get(written.size());
  }

  /** Ends the file that is full, opens the next one that is not; leaves none open behind the last. */
  private void openNext() throws IOException {
    while (written.size() < files.files().size()) {
      Path draft = drafts.resolve(Integer.toString(written.size()));
      if (open == null) {
        open = current().stamp().isPresent() ? FileStamps.create(draft)
            : FileChannel.open(draft, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        bytesInFile = 0;
        crc.reset();
      }
      if (bytesInFile < current().bytes()) {
        return;
      }
      if (current().stamp().isPresent()) {
        FileStamps.apply(current().stamp().get(), draft);
      }
      open.force(true);
      open.close();
      open = null;
      written.add(checked(current()));
    }
  }

  private FileMeta checked(FileMeta meta) {
    int found = (int) crc.getValue();
    if (meta.crc().isPresent() && meta.crc().getAsInt() != found) {
      Path path = NodeDirectories.resolve(datasetDirectory, meta.name());
      throw new ScrException(Fault.CORRUPT, "rank " + files.rank() + ": "
          + FileChecks.mismatch(path, found, meta.crc().getAsInt()));
    }
    return meta.withCrc(found);
  }

  @Override
  public void close() {
    try (FileChannel _ = open) {
      Trees.delete(drafts);
    } catch (IOException e) {
      throw Faults.io(drafts, e);
    }
  }
}
