package io.vertxscr.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32;

/**
 * The container of every metadata file: a tree of keys, with a checksum. Big-endian.
 * <pre>
 *   0        4      6      8                16       20                                   size - 4
 *   +--------+------+------+----------------+--------+---------------------------------------+--------+
 *   | magic  | type | vers |   file size    | flags  |  packed hash                          |  CRC   |
 *   |951fc3f5| 0001 | 0001 |      u64       |  u32   |                                       |  u32   |
 *   +--------+------+------+----------------+--------+---------------------------------------+--------+
 *
 *   packed hash:   count u32, then count times:  key bytes (UTF-8), 00, packed hash of what is below the key
 * </pre>
 * Flag bit 0: the CRC-32 of all bytes before it ends the file. It is always written; files without it are read. Other
 * flags are ignored. A key that stands twice in one hash is refused: which of the two holds would depend on the reader.
 */
public final class HashFile {
  /** Bytes before the packed hash: enough to know the size of the whole. */
  public static final int HEADER_BYTES = 20;

  private static final int MAGIC = 0x951fc3f5;
  private static final short TYPE = 1;
  private static final short VERSION = 1;
  private static final int FLAG_CRC = 1;
  static final int CRC_BYTES = 4;

  private HashFile() {}

  /**
   * The file as indented text, one key a line, two spaces a level; control characters as {@code \}{@code uXXXX}.
   *
   * @throws ScrException CORRUPT
   */
  public static String dump(byte[] file) {
    StringBuilder text = new StringBuilder();
    dump(decode(file, "hash file"), 0, text);
    return text.toString();
  }

  /**
   * Returns the tree sorted by keys, indented by one level more. A key with a single value that has none itself is
   * printed as {@code KEY = VALUE}, the form of SCR's own tool.
   *
   * @throws ScrException CORRUPT
   */
  public static String keyValues(byte[] file) {
    StringBuilder text = new StringBuilder();
    keyValues(decode(file, "hash file"), 1, text);
    return text.toString();
  }

  /**
   * Returns the tree as nested maps, keys in the order of the file. A value is a key with an empty map: no key changes
   * its form with the number of its values.
   *
   * @throws ScrException CORRUPT
   */
  public static Map<String, Object> tree(byte[] file) {
    return tree(decode(file, "hash file"));
  }

  /**
   * Size of the whole file, in bytes, by its first {@link #HEADER_BYTES} bytes.
   *
   * @param start at least those bytes; what follows them is not looked at
   * @return from {@link #HEADER_BYTES} to {@link Limits#MAX_HASH_FILE_BYTES}
   * @throws ScrException CORRUPT if they do not start a hash file
   */
  public static long sizeOf(byte[] start) {
    return sizeOf(start, "hash file");
  }

  static long sizeOf(byte[] start, String kind) {
    if (start.length < HEADER_BYTES) {
      throw corrupt(kind, "byte " + start.length + ": ends here, inside its header of " + HEADER_BYTES + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(start);
    int magic = in.getInt();
    if (magic != MAGIC) {
      throw corrupt(kind, "byte 0: magic is 0x%x, expected 0x%x: this is no metadata file of this program"
          .formatted(magic, MAGIC));
    }
    expect(kind, "byte 4: file type", in.getShort(), TYPE);
    expect(kind, "byte 6: file version", in.getShort(), VERSION);
    long size = in.getLong();
    int least = HEADER_BYTES + Integer.BYTES + ((in.getInt() & FLAG_CRC) != 0 ? CRC_BYTES : 0);
    if (size < least || size > Limits.MAX_HASH_FILE_BYTES) {
      throw corrupt(kind, "byte 8: file size " + Long.toUnsignedString(size) + " is not between " + least + " and "
          + Limits.MAX_HASH_FILE_BYTES);
    }
    return size;
  }

  /** The whole file. @throws ScrException BAD_REQUEST for a key that no file can hold, or a tree that is too large */
  public static byte[] encode(Hash hash) {
    return new Packer().all(hash).file();
  }

  /** Whether these first bytes are those of a hash file, of any version. */
  public static boolean hasMagic(byte[] start) {
    return start.length >= Integer.BYTES && ByteBuffer.wrap(start).getInt() == MAGIC;
  }

  /** Writes what stands in front of the hash into a buffer that is as long as the whole file. */
  static void putHeader(ByteBuffer file) {
    file.putInt(MAGIC).putShort(TYPE).putShort(VERSION).putLong(file.capacity()).putInt(FLAG_CRC);
  }

  /** The size that {@link #encode} would give; fails as that does. */
  public static int encodedBytes(Hash hash) {
    return Packer.counting().all(hash).fileBytes();
  }

  /** @param kind kind of the file, for messages */
  public static Hash decode(byte[] file, String kind) {
    return decode(file, kind, Excerpt.WHOLE);
  }

  /** An excerpt of it. */
  static Hash decode(byte[] file, String kind, Excerpt excerpt) {
    long size = sizeOf(file, kind);
    if (size != file.length) {
      throw corrupt(kind, "byte 8: file size says " + size + " bytes, there are " + file.length);
    }
    int end = file.length;
    if ((ByteBuffer.wrap(file).getInt(16) & FLAG_CRC) != 0) {
      end -= CRC_BYTES;
      int stored = ByteBuffer.wrap(file).getInt(end);
      int actual = crc(file, end);
      if (stored != actual) {
        throw corrupt(kind, "byte %d: CRC 0x%08x, but the bytes have 0x%08x".formatted(end, stored, actual));
      }
    }
    return new Unpacker(ByteBuffer.wrap(file, HEADER_BYTES, end - HEADER_BYTES), kind, excerpt).file();
  }

  static ScrException corrupt(String kind, String what) {
    return new ScrException(Fault.CORRUPT, kind + ": " + what);
  }

  private static void expect(String kind, String field, int actual, int expected) {
    if (actual != expected) {
      throw corrupt(kind, "%s is 0x%x, expected 0x%x".formatted(field, actual, expected));
    }
  }

  private static int crc(byte[] file, int bytes) {
    CRC32 crc = new CRC32();
    crc.update(file, 0, bytes);
    return (int) crc.getValue();
  }

  /** A key that came back different would lose a file: what UTF-8 or the NUL cannot carry is refused. */
  static byte[] keyBytes(String key) {
    if (key.indexOf('\0') >= 0 || !UTF_8.newEncoder().canEncode(key)) {
      throw new ScrException(
          Fault.BAD_REQUEST, "'" + Names.printable(key) + "' has a character that no hash file can hold");
    }
    return key.getBytes(UTF_8);
  }

  private static void dump(Hash hash, int level, StringBuilder text) {
    hash.children().forEach((key, child) -> {
      text.repeat(' ', 2 * level).append(Names.printable(key)).append('\n');
      dump(child, level + 1, text);
    });
  }

  private static void keyValues(Hash hash, int level, StringBuilder text) {
    new TreeMap<>(hash.children()).forEach((key, child) -> {
      text.repeat(' ', 2 * level).append(Names.printable(key));
      Optional<String> only = child.children().size() == 1 ? child.children().keySet().stream().findFirst()
          : Optional.empty();
      if (only.isPresent() && child.children().get(only.get()).children().isEmpty()) {
        text.append(" = ").append(Names.printable(only.get())).append('\n');
      } else {
        text.append('\n');
        keyValues(child, level + 1, text);
      }
    });
  }

  private static Map<String, Object> tree(Hash hash) {
    Map<String, Object> tree = new LinkedHashMap<>();
    hash.children().forEach((key, child) -> tree.put(key, tree(child)));
    return tree;
  }
}
