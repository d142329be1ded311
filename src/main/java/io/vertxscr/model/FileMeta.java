package io.vertxscr.model;

import java.util.OptionalInt;

/**
 * One application file of one rank.
 *
 * @param name where it is in the cache, relative to the dataset's directory
 * @param path where it belongs on the parallel file system, relative to the prefix
 * @param crc CRC-32 of its bytes, empty while not yet known
 */
public record FileMeta(String name, String path, long bytes, OptionalInt crc) {
  /** The same file with its checksum known. */
  public FileMeta withCrc(int known) {
    return new FileMeta(name, path, bytes, OptionalInt.of(known));
  }

  /** Last component of {@link #path}: what an application may ask for in a restart. */
  public String baseName() {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
