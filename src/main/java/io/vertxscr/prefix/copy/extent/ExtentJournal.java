package io.vertxscr.prefix.copy.extent;

import io.vertxscr.model.ScrException;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.FileChecks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.zip.CRC32;

/**
 * Journal of a draft's durable extents: a small file beside it with one record for each extent. Big-endian:
 * <pre>
 *   header    4 "SCRX"   4 length n of the owner   n owner, UTF-8     4 CRC-32 of all that
 *   record    4 extent   4 CRC-32 of its bytes     4 CRC-32 of the eight bytes before
 * </pre>
 * The owner identifies who may resume the draft, and with which bytes; others ignore the journal. A record that
 * is torn, and what follows it, counts as not written. Not thread-safe.
 */
public final class ExtentJournal implements AutoCloseable {
  static final int RECORD_BYTES = 12;
  private static final int MAGIC = 0x53435258;
  private static final int CHECKED_BYTES = 8;
  private static final int MAX_BYTES = 64 << 20;

  private final Path path;
  private final FileChannel channel;

  private ExtentJournal(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /**
   * Reads the records of an earlier process of this owner. An operation that fails is tried once more: without them
   * everything is copied again.
   *
   * @return checksums by extent; empty where there is no such file, it is another's, or it is damaged
   */
  public static Map<Integer, Integer> read(Path path, String owner) {
    try {
      return FileChecks.twice(() -> readOnce(path, owner));
    } catch (ScrException _) {
      return Map.of();
    }
  }

  private static Map<Integer, Integer> readOnce(Path path, String owner) {
    try (FileChannel in = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      ByteBuffer all = ByteBuffer.allocate((int) Math.min(in.size(), MAX_BYTES));
      while (all.hasRemaining() && in.read(all) >= 0) {
        // until it is full
      }
      return decode(all.flip(), owner);
    } catch (NoSuchFileException _) {
      return Map.of();
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  static Map<Integer, Integer> decode(ByteBuffer all, String owner) {
    ByteBuffer header = header(owner);
    if (all.remaining() < header.remaining() || !all.slice(0, header.remaining()).equals(header)) {
      return Map.of();
    }
    Map<Integer, Integer> sums = new HashMap<>();
    for (int at = header.remaining(); at + RECORD_BYTES <= all.limit(); at += RECORD_BYTES) {
      if (all.getInt(at + CHECKED_BYTES) != crc(all.slice(at, CHECKED_BYTES))) {
        break;
      }
      sums.put(all.getInt(at), all.getInt(at + Integer.BYTES));
    }
    return sums;
  }

  /** A new file without records, durable but for its name. */
  public static void create(Path path, String owner) {
    try (ExtentJournal marks = new ExtentJournal(path, FileChannel.open(path, StandardOpenOption.CREATE_NEW,
        StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
      marks.append(header(owner));
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  /**
   * To add records.
   *
   * @param records how many whole ones it has; what follows them is cut off
   */
  public static ExtentJournal open(Path path, String owner, int records) {
    try {
      FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      try {
        long end = header(owner).remaining() + (long) records * RECORD_BYTES;
        channel.truncate(end).position(end);
        return new ExtentJournal(path, channel);
      } catch (IOException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  static ByteBuffer header(String owner) {
    byte[] name = owner.getBytes(StandardCharsets.UTF_8);
    ByteBuffer header = ByteBuffer.allocate(3 * Integer.BYTES + name.length);
    header.putInt(MAGIC).putInt(name.length).put(name);
    return header.putInt(crc(header.duplicate().flip())).flip();
  }

  static ByteBuffer record(int extent, int sum) {
    ByteBuffer record = ByteBuffer.allocate(RECORD_BYTES).putInt(extent).putInt(sum);
    return record.putInt(crc(record.duplicate().flip())).flip();
  }

  private static int crc(ByteBuffer bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  /** An extent is durable: says so durably. */
  void add(int extent, int sum) {
    append(record(extent, sum));
  }

  /** Several are durable: says so durably, in the order of the numbers, with one sync. */
  public void addAll(SortedMap<Integer, Integer> sums) {
    ByteBuffer records = ByteBuffer.allocate(sums.size() * RECORD_BYTES);
    sums.forEach((extent, sum) -> records.put(record(extent, sum)));
    append(records.flip());
  }

  private void append(ByteBuffer bytes) {
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }
}
