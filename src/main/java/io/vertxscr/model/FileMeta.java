package io.vertxscr.model;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * One application file of one rank.
 *
 * @param name where it is in the cache, relative to the dataset's directory
 * @param path where it belongs on the parallel file system, relative to the prefix
 * @param crc CRC-32 of its bytes, empty while not yet known
 * @param stamp its mode and time, which copies of it get; empty while not yet known, and of other writers
 * @param shared whether another rank has written the same file, past the cache, and counts it for the dataset
 */
public record FileMeta(
    String name, String path, long bytes, OptionalInt crc, Optional<Stamp> stamp, boolean shared) {
  /** A file of this rank alone, or that it counts for all who have written it. */
  public FileMeta(String name, String path, long bytes, OptionalInt crc, Optional<Stamp> stamp) {
    this(name, path, bytes, crc, stamp, false);
  }

  /** Creates metadata without mode and time. */
  public FileMeta(String name, String path, long bytes, OptionalInt crc) {
    this(name, path, bytes, crc, Optional.empty());
  }

  /**
   * Attributes of a file that every copy preserves.
   *
   * @param mode who may read, write and execute it: the last nine bits of a file's mode
   * @param modifiedSeconds when its bytes changed last: seconds since 1970, negative before
   * @param modifiedNanos and the rest of that, 0 to {@link #MAX_NANOS}
   */
  public record Stamp(int mode, long modifiedSeconds, int modifiedNanos) {
    public static final int MODE_BITS = 0777;
    public static final int MAX_NANOS = 999_999_999;

    public Stamp {
      if ((mode & ~MODE_BITS) != 0 || modifiedNanos < 0 || modifiedNanos > MAX_NANOS) {
        throw new ScrException(Fault.BAD_REQUEST,
            "a file with mode " + Integer.toOctalString(mode) + " and " + modifiedNanos + " ns");
      }
    }
  }

  /** Returns the file with its checksum. */
  public FileMeta withCrc(int known) {
    return new FileMeta(name, path, bytes, OptionalInt.of(known), stamp, shared);
  }

  /** Returns the file with its mode and time. */
  public FileMeta with(Stamp known) {
    return new FileMeta(name, path, bytes, crc, Optional.of(known), shared);
  }

  /** Returns the file marked as counted for another rank. */
  public FileMeta asShared() {
    return new FileMeta(name, path, bytes, crc, stamp, true);
  }

  /** Last component of {@link #path}: what an application may ask for in a restart. */
  public String baseName() {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
