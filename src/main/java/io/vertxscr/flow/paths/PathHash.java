package io.vertxscr.flow.paths;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Stands for a path of a dataset, relative to the prefix: the first 128 bits of its SHA-256.
 *
 * <p>Equal paths have equal hashes. Two different paths of a dataset of a billion files have equal ones with a
 * probability of 10^18 / 2^129, below 10^-20: a disk that returns wrong bytes unnoticed is far more likely.
 *
 * @param high the first eight bytes, big-endian
 * @param low the next eight
 */
public record PathHash(long high, long low) {
  private static final int BYTES = 2 * Long.BYTES;
  private static final int BASE64_BITS = 6;

  /** The hash of a path, which is compared byte by byte in UTF-8. */
  public static PathHash of(String path) {
    try {
      ByteBuffer hash = ByteBuffer.wrap(
          MessageDigest.getInstance("SHA-256").digest(path.getBytes(StandardCharsets.UTF_8)));
      return new PathHash(hash.getLong(), hash.getLong());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Index of its owner among so many; the same on all nodes. */
  public int owner(int count) {
    return Math.floorMod(low, count);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(high);                           // its bits are as good as random already
  }

  /** Hashes as a text of a message, in their order: 16 bytes for each, in base64. */
  public static String pack(List<PathHash> hashes) {
    ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(hashes.size(), BYTES));
    hashes.forEach(hash -> bytes.putLong(hash.high).putLong(hash.low));
    return Base64.getEncoder().withoutPadding().encodeToString(bytes.array());
  }

  /** Length of the text of so many hashes. */
  public static long packedChars(int count) {
    return ((long) count * BYTES * Byte.SIZE + BASE64_BITS - 1) / BASE64_BITS;
  }

  /**
   * Unpacks the output of {@link #pack}.
   *
   * @throws ScrException BAD_REQUEST for any other text
   */
  public static List<PathHash> unpack(String packed) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(packed);
    } catch (IllegalArgumentException e) {
      throw new ScrException(Fault.BAD_REQUEST, "hashes of paths are no base64", e);
    }
    if (bytes.length % BYTES != 0) {
      throw new ScrException(Fault.BAD_REQUEST, "hashes of paths have " + bytes.length + " bytes, which is no multiple"
          + " of " + BYTES);
    }
    ByteBuffer from = ByteBuffer.wrap(bytes);
    List<PathHash> hashes = new ArrayList<>(bytes.length / BYTES);
    while (from.hasRemaining()) {
      hashes.add(new PathHash(from.getLong(), from.getLong()));
    }
    return hashes;
  }
}
