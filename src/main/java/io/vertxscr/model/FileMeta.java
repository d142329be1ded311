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
 * @param unread by what it is known again while its checksum is not known; only in filemaps, never beside a checksum
 */
public record FileMeta(String name, String path, long bytes, OptionalInt crc, Optional<Stamp> stamp, boolean shared,
    Optional<Unread> unread) {
  public FileMeta {
    if (unread.isPresent() && crc.isPresent()) {
      throw new IllegalArgumentException(name + " is unread, and has a checksum");
    }
  }

  /** A file that was read, or is not in a cache yet. */
  public FileMeta(String name, String path, long bytes, OptionalInt crc, Optional<Stamp> stamp, boolean shared) {
    this(name, path, bytes, crc, stamp, shared, Optional.empty());
  }

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

  /**
   * By what a file is known again that nobody has read since its rank called it complete. It is the same as long as all
   * of these are, with size and {@link Stamp}, in the same mount of its file system.
   *
   * @param mount id of that mount; {@link #LOST_WRITES} where it is known by nothing any more
   * @param changedSeconds when its bytes or attributes changed last, which no program can set: seconds since 1970
   * @param changedNanos and the rest of that, 0 to {@link Stamp#MAX_NANOS}
   */
  public record Unread(String mount, long device, long inode, long changedSeconds, int changedNanos) {
    /** Instead of a mount: some of what was written may be lost, without a trace in times. */
    public static final String LOST_WRITES = "lost-writes";
  }

  /** Returns the file with its checksum. */
  public FileMeta withCrc(int known) {
    return new FileMeta(name, path, bytes, OptionalInt.of(known), stamp, shared);
  }

  /** Returns the file without a checksum, known by this instead. */
  public FileMeta with(Unread identity) {
    return new FileMeta(name, path, bytes, OptionalInt.empty(), stamp, shared, Optional.of(identity));
  }

  /** Returns an unread file as one that is known by nothing, any other one as it is. */
  public FileMeta withLostWrites() {
    return unread.map(known -> with(new Unread(Unread.LOST_WRITES, known.device, known.inode, known.changedSeconds,
        known.changedNanos))).orElse(this);
  }

  /** Returns the file without what is known of its bytes. */
  public FileMeta withoutCrc() {
    return new FileMeta(name, path, bytes, OptionalInt.empty(), stamp, shared, unread);
  }

  /** Returns the file with its mode and time. */
  public FileMeta with(Stamp known) {
    return new FileMeta(name, path, bytes, crc, Optional.of(known), shared, unread);
  }

  /** Returns the file marked as counted for another rank. */
  public FileMeta asShared() {
    return new FileMeta(name, path, bytes, crc, stamp, true, unread);
  }

  /** Last component of {@link #path}: what an application may ask for in a restart. */
  public String baseName() {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
