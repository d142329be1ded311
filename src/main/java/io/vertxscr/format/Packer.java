package io.vertxscr.format;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Writes a hash file from front to back. What describes the files of a dataset is written without a tree of its
 * thousands of entries; all else hands over its {@link Hash}. Or it only counts the bytes of such a file. Not
 * thread-safe.
 *
 * <p>A key that is written twice in one hash is not noticed here: where keys are names, the caller sees to it.
 */
final class Packer {
  private static final int FIRST_BYTES = 1024;
  /** An array cannot be longer, and no file may be. */
  private static final int MOST_BYTES = Limits.MAX_HASH_FILE_BYTES;

  /** Null where they are only counted. */
  private byte[] bytes;
  private int size;
  /** Positions of the counts of open hashes, the outermost first. */
  private final int[] counts = new int[Limits.MAX_HASH_DEPTH + 1];
  private int depth;

  /** Starts a file. */
  Packer() {
    this(new byte[FIRST_BYTES]);
  }

  private Packer(byte[] bytes) {
    this.bytes = bytes;
    this.size = HashFile.HEADER_BYTES;
    begin();
  }

  /** Starts a file that is only measured ({@link #fileBytes}); content that no file can hold is refused. */
  static Packer counting() {
    return new Packer(null);
  }

  /** Writes a {@code key} with this single value. */
  Packer set(String key, Object value) {
    return open(key).open(value.toString()).close().close();
  }

  /** Opens the hash below {@code key}. */
  Packer open(String key) {
    if (depth > Limits.MAX_HASH_DEPTH) {
      throw new ScrException(Fault.BAD_REQUEST, "a hash is nested deeper than " + Limits.MAX_HASH_DEPTH);
    }
    if (bytes != null) {
      int count = counts[depth - 1];
      putInt(count, getInt(count) + 1);
    }
    putKey(key);
    begin();
    return this;
  }

  /** Closes the hash of the last {@link #open}. */
  Packer close() {
    depth--;
    return this;
  }

  /** All of a tree below {@code key}. */
  Packer put(String key, Hash hash) {
    return open(key).all(hash).close();
  }

  /** Writes a whole tree into the open hash. */
  Packer all(Hash hash) {
    for (Map.Entry<String, Hash> element : hash.children().entrySet()) {
      put(element.getKey(), element.getValue());
    }
    return this;
  }

  /** The whole file, when all is closed. */
  byte[] file() {
    byte[] file = Arrays.copyOf(bytes, fileBytes());
    HashFile.putHeader(ByteBuffer.wrap(file));
    CRC32 crc = new CRC32();
    crc.update(file, 0, size);
    ByteBuffer.wrap(file).putInt(size, (int) crc.getValue());
    return file;
  }

  /** Its length, when all is closed. */
  int fileBytes() {
    if (depth != 1) {
      throw new IllegalStateException(depth - 1 + " hashes are still open");
    }
    return size + HashFile.CRC_BYTES;
  }

  private void begin() {
    room(Integer.BYTES);
    counts[depth++] = size;
    if (bytes != null) {
      putInt(size, 0);
    }
    size += Integer.BYTES;
  }

  private void putKey(String key) {
    int length = key.length();
    room(length + 1);
    for (int i = 0; i < length; i++) {
      char c = key.charAt(i);
      if (c == 0 || c >= 0x80) {
        putBytes(HashFile.keyBytes(key));
        return;
      }
      if (bytes != null) {
        bytes[size + i] = (byte) c;                       // nearly all keys are so
      }
    }
    end(length);
  }

  private void putBytes(byte[] key) {
    room(key.length + 1);
    if (bytes != null) {
      System.arraycopy(key, 0, bytes, size, key.length);
    }
    end(key.length);
  }

  private void end(int keyBytes) {
    if (bytes != null) {
      bytes[size + keyBytes] = 0;
    }
    size += keyBytes + 1;
  }

  private void room(int more) {
    if (more > MOST_BYTES - HashFile.CRC_BYTES - size) {
      throw new ScrException(Fault.BAD_REQUEST, "a hash file of more than " + MOST_BYTES + " bytes");
    }
    if (bytes != null && size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.clamp(2L * bytes.length, size + more, MOST_BYTES));
    }
  }

  private int getInt(int at) {
    return bytes[at] << 24 | (bytes[at + 1] & 0xff) << 16 | (bytes[at + 2] & 0xff) << 8 | bytes[at + 3] & 0xff;
  }

  private void putInt(int at, int value) {
    bytes[at] = (byte) (value >> 24);
    bytes[at + 1] = (byte) (value >> 16);
    bytes[at + 2] = (byte) (value >> 8);
    bytes[at + 3] = (byte) value;
  }
}
