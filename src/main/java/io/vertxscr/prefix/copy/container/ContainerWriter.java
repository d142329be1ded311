package io.vertxscr.prefix.copy.container;

import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Limits;
import io.vertxscr.placement.ContainerLayout;
import io.vertxscr.placement.ContainerPiece;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.prefix.copy.extent.OpenFiles;
import io.vertxscr.prefix.copy.extent.ResumableCopy;
import io.vertxscr.prefix.copy.extent.SourceFile;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.OwnFile;
import io.vertxscr.storage.PieceBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.zip.CRC32;

/**
 * Writes files sequentially into containers, from an offset of the stream on. Many small files become few writes of
 * {@link Limits#PIECE_BYTES}. Files are read straight into the one buffer of the calling thread, which must be one that
 * moves bulk bytes. Used by one thread at a time; where the meter makes it pause, the buffer is empty, and another
 * thread may go on. Several writers may write other stretches of the same containers.
 */
public final class ContainerWriter implements AutoCloseable {
  private final Path directory;
  private final ContainerLayout layout;
  private final Meter meter;
  private ByteBuffer buffer = PieceBuffers.first(Limits.PIECE_BYTES);
  /**
   * Whether nothing of ours is in the buffer. Its position does not tell: other copies of its thread have used it
   * since.
   */
  private boolean isEmpty = true;
  private final TreeMap<Integer, FileChannel> open = new TreeMap<>();
  /** Stream offset of the first byte in the buffer. */
  private long at;

  /**
   * @param directory of the containers, which are made as they are needed: for their owner alone, because files of any
   *     mode are in them
   */
  public ContainerWriter(Path directory, ContainerLayout layout, long offset, Meter meter) {
    this.directory = directory;
    this.layout = layout;
    this.at = offset;
    this.meter = meter;
  }

  /**
   * Appends a file; the meter admits every piece.
   *
   * @param what names it in messages
   * @return the checksum of what was read
   * @throws io.vertxscr.model.ScrException NO_SUCH_FILE, CORRUPT: it is missing, or not what its metadata say;
   *     NO_SPACE, IO: the containers cannot be written
   */
  public int append(Path source, FileMeta file, String what) {
    Appending one = begin(source, file, what);
    ResumableCopy.run(one);
    return one.crc();
  }

  /** As {@link #append}, as the meter admits it: resumed to its end before anything else is done here. */
  Appending begin(Path source, FileMeta file, String what) {
    return new Appending(SourceFile.cached(source, file, what), file);
  }

  /** A file that is being appended. */
  final class Appending implements ResumableCopy {
    private final SourceFile from;
    private final FileMeta file;
    private final OpenFiles files = new OpenFiles();
    private final CRC32 crc = new CRC32();
    private FileChannel in;
    private long left;

    private Appending(SourceFile from, FileMeta file) {
      this.from = from;
      this.file = file;
      this.left = file.bytes();
    }

    int crc() {
      return (int) crc.getValue();
    }

    @Override
    public boolean resume() {
      if (in == null) {
        in = files.add(from.open(file));
      }
      while (left > 0) {
        if (!hasRoom()) {
          return false;
        }
        int count = fill(from, in, left, crc);
        if (count < 0) {
          from.requireBytes(file.bytes() - left, file.bytes());
        }
        left -= count;
      }
      files.abandon();                                    // it was only read
      from.requireCrc(crc(), file.crc());
      return true;
    }

    @Override
    public void close() {
      files.abandon();
    }
  }

  /** Empties a buffer that is full, and asks the meter for the next piece. */
  private boolean hasRoom() {
    if (!isEmpty && !buffer.hasRemaining()) {
      drain();
    }
    if (isEmpty) {
      buffer = PieceBuffers.first(Limits.PIECE_BYTES);    // of the thread that is here now
      isEmpty = !meter.admits(buffer.remaining());
    }
    return !isEmpty;
  }

  /** The next file begins here in the stream; what was appended before stays. */
  public void seek(long offset) {
    if (at + (isEmpty ? 0 : buffer.position()) != offset) {
      drain();
      at = offset;
    }
  }

  private int fill(SourceFile from, FileChannel in, long most, CRC32 crc) {
    int begin = buffer.position();
    int limit = buffer.limit();
    buffer.limit((int) Math.min(limit, begin + most));
    int count = from.read(in, buffer);
    buffer.limit(limit);
    if (count > 0) {
      crc.update(buffer.slice(begin, count));
    }
    return count;
  }

  private void drain() {
    if (isEmpty) {
      return;
    }
    buffer.flip();
    int bytes = buffer.remaining();
    if (bytes > 0) {
      meter.passing(bytes);
      for (ContainerPiece piece : layout.pieces(at, bytes)) {
        write(piece);
      }
      at += bytes;
    }
    isEmpty = true;
  }

  private void write(ContainerPiece piece) {
    try {
      FileChannel out = channel(piece.container());
      int end = buffer.position() + Math.toIntExact(piece.bytes());
      ByteBuffer bytes = buffer.duplicate().limit(end);
      for (long offset = piece.offset(); bytes.hasRemaining(); ) {
        offset += out.write(bytes, offset);
      }
      buffer.position(end);
    } catch (IOException e) {
      throw Faults.io(path(piece.container()), e);
    }
  }

  private FileChannel channel(int container) throws IOException {
    FileChannel channel = open.get(container);
    if (channel == null) {
      channel = OwnFile.write(path(container));
      open.put(container, channel);
    }
    return channel;
  }

  private Path path(int container) {
    return directory.resolve(ContainerPaths.fileName(container));
  }

  /** Writes the rest, and syncs everything. @throws io.vertxscr.model.ScrException NO_SPACE, IO */
  public void force() {
    drain();
    open.forEach((container, channel) -> {
      try {
        channel.force(true);
      } catch (IOException e) {
        throw Faults.io(path(container), e);
      }
    });
  }

  /** Closes without writing the rest. */
  @Override
  public void close() {
    try {
      open.forEach((container, channel) -> {
        try {
          channel.close();
        } catch (IOException e) {
          throw Faults.io(path(container), e);
        }
      });
    } finally {
      abandon();
    }
  }

  /** Closes after a failure, which is the one to report. */
  void abandon() {
    open.values().forEach(channel -> {
      try {
        channel.close();
      } catch (IOException _) {
        // report the failure that led here
      }
    });
    open.clear();
  }
}
