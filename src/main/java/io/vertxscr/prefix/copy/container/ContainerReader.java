package io.vertxscr.prefix.copy.container;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.Segment;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.extent.CheckedCopy.Copied;
import io.vertxscr.prefix.copy.extent.CheckedPiece;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.NewFile;
import io.vertxscr.storage.PieceBuffers;
import io.vertxscr.storage.RegularFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Reads files of a dataset out of its containers, checked while the bytes pass. Keeps a few containers open, for the
 * next file is most likely in the same one; of several files that it is told of, small ones that stand one behind the
 * other come with one read of {@link Limits#PIECE_BYTES}. Not thread-safe; blocking: for threads that move bulk bytes,
 * whose second buffer it keeps until it is closed.
 */
public final class ContainerReader implements AutoCloseable {
  private static final int MAX_OPEN = 8;

  private final ContainerPaths containers;
  private final Map<String, FileChannel> open = new LinkedHashMap<>();
  /** Offset of the last requested byte of each container. */
  private final Map<String, Long> ends = new HashMap<>();
  /** Window read last, up to the buffer's limit; the fields below are its container and offset. */
  private final ByteBuffer window = PieceBuffers.second(Limits.PIECE_BYTES);
  private String windowOf = "";
  private long windowAt;

  /** Receiver of a file's bytes. */
  @FunctionalInterface
  private interface Sink {
    void take(ByteBuffer bytes) throws IOException;
  }

  /** @param dataset the dataset's directory in the prefix directory */
  public ContainerReader(Path dataset) {
    this(dataset, List.of());
  }

  /** Creates a reader for these files. @param wanted files that will be read one behind the other */
  public ContainerReader(Path dataset, List<FlushedFile> wanted) {
    this.containers = new ContainerPaths(dataset);
    wanted.stream().flatMap(file -> file.segments().stream()).forEach(segment ->
        ends.merge(segment.container(), segment.offset() + segment.bytes(), Math::max));
  }

  /**
   * Copies a file out of its containers; on every failure {@code to} is deleted. It gets the mode and time of the map,
   * if known, else the mode of any new file.
   *
   * @param what names it in messages
   * @throws ScrException CORRUPT: a container is missing, too short, or has other bytes than the map says; IO: that
   *     could not be found out, or {@code to} cannot be written; NO_SPACE
   */
  public Copied copy(FlushedFile file, String what, Path to) {
    return copy(file, what, to, Meter.NONE);
  }

  /** Copies a file and reports progress to the meter. */
  public Copied copy(FlushedFile file, String what, Path to, Meter meter) {
    NewFile.Writing<Copied> writing = out -> read(file, what, bytes -> {
      meter.passing(bytes.remaining());
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
    });
    return file.stamp().isEmpty() ? NewFile.plain(to, writing) : NewFile.stamped(to, out -> {
      Copied copied = writing.to(out);
      FileStamps.apply(file.stamp().get(), to);
      return copied;
    });
  }

  /** Reads a file and compares it, as {@link #copy}, and keeps nothing. */
  public Copied check(FlushedFile file, String what) {
    try {
      return read(file, what, _ -> {});
    } catch (IOException e) {
      throw new IllegalStateException(e);                 // this sink does nothing
    }
  }

  /**
   * Splits the copy for several threads, each with its own reader. {@link #compare} then checks the combined checksum
   * of the pieces.
   *
   * @param dataset as in the constructor
   */
  public static List<CheckedPiece> pieces(Path dataset, FlushedFile file, String what, long pieceBytes) {
    return CheckedPiece.of(bytes(file), pieceBytes, (from, bytes) -> {
      try (ContainerReader reader = new ContainerReader(dataset)) {
        return reader.crc(file, what, from, bytes);
      }
    });
  }

  private static long bytes(FlushedFile file) {
    return file.segments().stream().mapToLong(Segment::bytes).sum();
  }

  private int crc(FlushedFile file, String what, long from, long bytes) {
    CRC32 sum = new CRC32();
    long begin = 0;
    for (Segment segment : file.segments()) {
      long end = Math.min(segment.bytes(), from + bytes - begin);
      for (long at = Math.max(0, from - begin); at < end; ) {
        ByteBuffer piece = PieceBuffers.first(Math.min(Limits.PIECE_BYTES, end - at));
        fill(piece, segment, at, what);
        at += piece.flip().remaining();
        sum.update(piece);
      }
      begin += segment.bytes();
    }
    return (int) sum.getValue();
  }

  /** Whether the containers are long enough to have the file, without reading it. @throws ScrException CORRUPT, IO */
  public void checkSize(FlushedFile file, String what) {
    for (Segment segment : file.segments()) {
      try {
        if (segment.bytes() > 0 && channel(segment, what).size() < segment.offset() + segment.bytes()) {
          throw endsEarly(segment, what);
        }
      } catch (IOException e) {
        throw Faults.io(containers.named(segment.container()), e);
      }
    }
  }

  /** The first bytes of a file, unchecked. @throws ScrException CORRUPT if it has fewer, IO */
  public ByteBuffer head(FlushedFile file, String what, int bytes) {
    ByteBuffer head = ByteBuffer.allocate(bytes);
    for (Segment segment : file.segments()) {
      ByteBuffer part = head.slice(head.position(), (int) Math.min(head.remaining(), segment.bytes()));
      fill(part, segment, 0, what);
      head.position(head.position() + part.position());
    }
    if (head.hasRemaining()) {
      throw new ScrException(Fault.CORRUPT, what + " has fewer than " + bytes + " bytes");
    }
    return head.flip();
  }

  private Copied read(FlushedFile file, String what, Sink sink) throws IOException {
    CRC32 sum = new CRC32();
    long total = 0;
    for (Segment segment : file.segments()) {
      for (long at = 0; at < segment.bytes(); ) {
        ByteBuffer piece = piece(segment, at, what);
        at += piece.remaining();
        sum.update(piece);
        sink.take(piece.rewind());
      }
      total += segment.bytes();
    }
    int crc = (int) sum.getValue();
    compare(file, what, crc);
    return new Copied(total, crc);
  }

  /** Whether the bytes in its segments are those of the file. @throws ScrException CORRUPT */
  public static void compare(FlushedFile file, String what, int crc) {
    long total = bytes(file);
    if (file.bytes().isPresent() && file.bytes().getAsLong() != total) {
      throw new ScrException(Fault.CORRUPT,
          what + " has " + total + " bytes in its segments instead of " + file.bytes().getAsLong());
    }
    if (file.crc().isPresent() && file.crc().getAsInt() != crc) {
      throw new ScrException(Fault.CORRUPT, "%s has checksum 0x%08x instead of 0x%08x in %s"
          .formatted(what, crc, file.crc().getAsInt(), where(file)));
    }
  }

  /** Returns the next bytes of a segment, as many as the window has, at least one. */
  private ByteBuffer piece(Segment segment, long at, String what) {
    long from = segment.offset() + at;
    boolean there = segment.container().equals(windowOf) && from >= windowAt && from < windowAt + window.limit();
    if (!there) {
      long wanted = Math.max(segment.bytes() - at, ends.getOrDefault(segment.container(), 0L) - from);
      windowOf = "";                                      // until it is filled
      window.clear().limit((int) Math.min(window.capacity(), wanted));
      if (!fillFrom(from, window, segment, what)) {
        window.limit(window.position());                  // what is missing may be another file's
      }
      if (window.position() == 0) {
        throw endsEarly(segment, what);
      }
      window.flip();
      windowAt = from;
      // no other reader uses this thread between files that are announced in advance
      windowOf = ends.isEmpty() ? "" : segment.container();
    }
    int position = (int) (from - windowAt);
    return window.slice(position, (int) Math.min(window.limit() - position, segment.bytes() - at));
  }

  private static String where(FlushedFile file) {
    return String.join(", ", file.segments().stream()
        .map(segment -> segment.container() + " from byte " + segment.offset()).toList());
  }

  private void fill(ByteBuffer piece, Segment segment, long at, String what) {
    if (!fillFrom(segment.offset() + at, piece, segment, what)) {
      throw endsEarly(segment, what);
    }
  }

  /** @return false where the container ends before the buffer is full */
  private boolean fillFrom(long from, ByteBuffer piece, Segment segment, String what) {
    FileChannel channel = channel(segment, what);
    long begin = from - piece.position();
    try {
      while (piece.hasRemaining()) {
        if (channel.read(piece, begin + piece.position()) < 0) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      throw Faults.io(containers.named(segment.container()), e);
    }
  }

  private ScrException endsEarly(Segment segment, String what) {
    return new ScrException(Fault.CORRUPT, what + ": " + containers.named(segment.container()) + " ends before byte "
        + (segment.offset() + segment.bytes()));
  }

  private FileChannel channel(Segment segment, String what) {
    FileChannel known = open.get(segment.container());
    if (known != null) {
      return known;
    }
    Path path = containers.named(segment.container());
    if (open.size() == MAX_OPEN) {
      close();
    }
    MetadataFiles.requireOwnDirectories(path);
    try {
      FileChannel channel = RegularFile.read(path);
      open.put(segment.container(), channel);
      return channel;
    } catch (NoSuchFileException e) {
      throw new ScrException(Fault.CORRUPT, what + ": its container is missing: " + path, e);
    } catch (RegularFile.WrongKindException e) {
      throw new ScrException(Fault.CORRUPT, what + ": its container is missing: " + path + ": " + e.getReason(), e);
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  @Override
  public void close() {
    for (FileChannel channel : open.values()) {
      try {
        channel.close();
      } catch (IOException _) {
        // it was only read
      }
    }
    open.clear();
  }
}
