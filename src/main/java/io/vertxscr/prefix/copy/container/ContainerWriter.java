package io.vertxscr.prefix.copy.container;

import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Limits;
import io.vertxscr.placement.ContainerLayout;
import io.vertxscr.placement.ContainerPiece;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.prefix.copy.extent.SourceFile;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.PieceBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32;

/**
 * Writes files sequentially into containers, from an offset of the stream on. Many small files become few writes of
 * {@link Limits#PIECE_BYTES}. Files are read straight into the one buffer of the calling thread, which must be one that
 * moves bulk bytes. Not thread-safe; several writers may write other stretches of the same containers.
 */
public final class ContainerWriter implements AutoCloseable {
  private final Path directory;
  private final ContainerLayout layout;
  private final Meter meter;
  private final ByteBuffer buffer = PieceBuffers.first(Limits.PIECE_BYTES);
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
   * Appends a file.
   *
   * @param what names it in messages
   * @return the checksum of what was read
   * @throws io.vertxscr.model.ScrException NO_SUCH_FILE, CORRUPT: it is missing, or not what its metadata say;
   *     NO_SPACE, IO: the containers cannot be written
   */
  public int append(Path source, FileMeta file, String what) {
    SourceFile from = SourceFile.cached(source, what);
    CRC32 crc = new CRC32();
    try (FileChannel in = from.open(file)) {
      for (long left = file.bytes(); left > 0; ) {
        int count = fill(from, in, left, crc);
        if (count < 0) {
          from.requireBytes(file.bytes() - left, file.bytes());
        }
        left -= count;
      }
    } catch (IOException e) {
      throw Faults.io(source, e);                         // of closing what was only read
    }
    int sum = (int) crc.getValue();
    from.requireCrc(sum, file.crc());
    return sum;
  }

  /** The next file begins here in the stream; what was appended before stays. */
  public void seek(long offset) {
    if (at + buffer.position() != offset) {
      drain();
      at = offset;
    }
  }

  private int fill(SourceFile from, FileChannel in, long most, CRC32 crc) {
    if (!buffer.hasRemaining()) {
      drain();
    }
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
    buffer.flip();
    int bytes = buffer.remaining();
    if (bytes > 0) {
      meter.passing(bytes);
      for (ContainerPiece piece : layout.pieces(at, bytes)) {
        write(piece);
      }
      at += bytes;
    }
    buffer.clear();
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
      channel = FileChannel.open(path(container), Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
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
    buffer.clear();
    open.forEach((container, channel) -> {
      try {
        channel.close();
      } catch (IOException e) {
        throw Faults.io(path(container), e);
      }
    });
    open.clear();
  }
}
