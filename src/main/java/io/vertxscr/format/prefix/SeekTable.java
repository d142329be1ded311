package io.vertxscr.format.prefix;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Trailer of a compressed file. The lengths of its frames, so that each can be located and decoded by itself. It is the
 * seek table of the zstd seekable format, within a skippable frame, which {@code zstd -d} passes over. Little-endian:
 * <pre>
 *   4 0x184D2A5E                skippable frame
 *   4 bytes that follow         12 * frames + 9
 *   each frame, in order:
 *     4 bytes stored            4 bytes decoded        4 low half of the XXH64 of the decoded bytes
 *   4 frames
 *   1 0x80                      "with checksums"; all other bits 0
 *   4 0x8F92EAB1                seekable format
 * </pre>
 * A table that is read says nothing else than what would be written: each of its bits counts. Takes 12 bytes of memory
 * for a frame. Not thread-safe while it grows.
 *
 * @see <a href="https://github.com/facebook/zstd/tree/dev/contrib/seekable_format">the format's description</a>
 */
public final class SeekTable {
  /** Bytes at the end of the file that contain the length of the table. */
  public static final int FOOTER_BYTES = 9;
  /** Maximum of the format. */
  public static final int MAX_FRAMES = 1 << 27;

  private static final int SKIPPABLE_MAGIC = 0x184D2A5E;
  private static final int SEEKABLE_MAGIC = 0x8F92EAB1;
  private static final int HEADER_BYTES = 8;
  private static final int ENTRY_BYTES = 12;
  private static final byte WITH_CHECKSUMS = (byte) 0x80;
  private static final int NUMBERS = 3;

  private int[] numbers = new int[NUMBERS];
  private int count;

  /** A frame. @param checksum low half of the XXH64 of its decoded bytes */
  public record Frame(int storedBytes, int bytes, int checksum) {}

  /** @throws ScrException BAD_REQUEST beyond {@link #MAX_FRAMES} */
  public void add(Frame frame) {
    if (count == MAX_FRAMES) {
      throw new ScrException(Fault.BAD_REQUEST, "a compressed file has at most " + MAX_FRAMES + " frames");
    }
    if (numbers.length == count * NUMBERS) {
      numbers = Arrays.copyOf(numbers, 2 * numbers.length);
    }
    int at = count++ * NUMBERS;
    numbers[at] = frame.storedBytes;
    numbers[at + 1] = frame.bytes;
    numbers[at + 2] = frame.checksum;
  }

  public int count() {
    return count;
  }

  /** A frame. @param index from 0, in the order of the file */
  public Frame frame(int index) {
    int at = index * NUMBERS;
    return new Frame(numbers[at], numbers[at + 1], numbers[at + 2]);
  }

  /** Bytes of all frames in the file, without the table. */
  public long storedBytes() {
    return sum(0);
  }

  /** Bytes of all frames decoded. */
  public long bytes() {
    return sum(1);
  }

  private long sum(int which) {
    long sum = 0;
    for (int at = which; at < count * NUMBERS; at += NUMBERS) {
      sum += numbers[at];
    }
    return sum;
  }

  /** Bytes of the table in the file. */
  public long encodedBytes() {
    return tableBytes(count);
  }

  /** The table as it stands in the file. */
  public ByteBuffer encode() {
    ByteBuffer table = ByteBuffer.allocate(Math.toIntExact(tableBytes(count))).order(ByteOrder.LITTLE_ENDIAN);
    table.putInt(SKIPPABLE_MAGIC).putInt(table.capacity() - HEADER_BYTES);
    table.asIntBuffer().put(numbers, 0, count * NUMBERS);
    table.position(table.position() + count * ENTRY_BYTES);
    return table.putInt(count).put(WITH_CHECKSUMS).putInt(SEEKABLE_MAGIC).flip();
  }

  private static long tableBytes(long frames) {
    return HEADER_BYTES + ENTRY_BYTES * frames + FOOTER_BYTES;
  }

  /**
   * Returns the length of the table.
   *
   * @param footer the last bytes of the file
   * @throws ScrException CORRUPT if these do not end such a table
   */
  public static long tableBytes(ByteBuffer footer) {
    ByteBuffer bytes = footer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.remaining() != FOOTER_BYTES) {
      throw corrupt("is too short to have one");
    }
    int frames = bytes.getInt();
    if (bytes.get() != WITH_CHECKSUMS || bytes.getInt() != SEEKABLE_MAGIC || frames < 0 || frames > MAX_FRAMES) {
      throw corrupt("does not end as one with checksums does");
    }
    return tableBytes((long) frames);
  }

  /** @throws ScrException CORRUPT */
  public static SeekTable decode(ByteBuffer whole) {
    ByteBuffer table = whole.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    int footerAt = table.limit() - FOOTER_BYTES;
    if (table.remaining() < HEADER_BYTES + FOOTER_BYTES
        || tableBytes(table.slice(footerAt, FOOTER_BYTES)) != table.remaining()) {
      throw corrupt("has another length than it says");
    }
    if (table.getInt() != SKIPPABLE_MAGIC || table.getInt() != table.limit() - table.position()) {
      throw corrupt("does not begin as one does");
    }
    SeekTable decoded = new SeekTable();
    decoded.count = (footerAt - table.position()) / ENTRY_BYTES;
    decoded.numbers = new int[Math.max(1, decoded.count) * NUMBERS];
    table.asIntBuffer().get(decoded.numbers, 0, decoded.count * NUMBERS);
    for (int i = 0; i < decoded.count; i++) {
      if (decoded.frame(i).storedBytes <= 0 || decoded.frame(i).bytes <= 0) {
        throw corrupt("has a frame " + i + " without bytes");
      }
    }
    return decoded;
  }

  private static ScrException corrupt(String why) {
    return new ScrException(Fault.CORRUPT, "the seek table " + why);
  }
}
