package io.vertxscr.storage.object;

import io.vertxscr.storage.object.ObjectStore.Found;
import io.vertxscr.storage.userspace.UserspaceAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Set;

/**
 * Attributes of a file or directory as they were when they were asked for.
 *
 * @param key the same as long as it is the same file; null for a directory
 */
record ObjectAttributes(boolean isDirectory, long size, Object key, Instant modified,
    Set<PosixFilePermission> permissions) implements UserspaceAttributes {
  static final GroupPrincipal OWNER = () -> "object-store";

  static ObjectAttributes ofDirectory() {
    return new ObjectAttributes(true, 0, null, Instant.EPOCH, PosixFilePermissions.fromString("rwxr-x---"));
  }

  static ObjectAttributes of(Found found) {
    ObjectStamp stamp = ObjectStamp.of(found);
    return of(found.bytes(), stamp, stamp.modified().orElse(found.modified()));
  }

  static ObjectAttributes of(WrittenObject written) {
    ObjectStamp stamp = written.stamp();
    Instant stored = written.stored().map(Found::modified).orElse(Instant.EPOCH);
    return of(written.bytes(), stamp, stamp.modified().orElse(stored));
  }

  private static ObjectAttributes of(long bytes, ObjectStamp stamp, Instant modified) {
    return new ObjectAttributes(false, bytes, stamp.id(), modified, stamp.permissions());
  }

  @Override
  public GroupPrincipal group() {
    return OWNER;
  }

  @Override
  public FileTime lastModifiedTime() {
    return FileTime.from(modified);
  }

  @Override
  public Object fileKey() {
    return key;
  }
}
