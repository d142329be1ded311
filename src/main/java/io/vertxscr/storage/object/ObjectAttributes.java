package io.vertxscr.storage.object;

import io.vertxscr.storage.object.ObjectStore.Found;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Instant;
import java.util.Set;

/**
 * Attributes of a file or directory as they were when they were asked for.
 *
 * @param key the same as long as it is the same file; null for a directory
 */
record ObjectAttributes(boolean directory, long size, Object key, Instant modified,
    Set<PosixFilePermission> permissions) implements PosixFileAttributes {
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
  public UserPrincipal owner() {
    return OWNER;
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
  public FileTime lastAccessTime() {
    return lastModifiedTime();
  }

  @Override
  public FileTime creationTime() {
    return lastModifiedTime();
  }

  @Override
  public boolean isRegularFile() {
    return !directory;
  }

  @Override
  public boolean isDirectory() {
    return directory;
  }

  @Override
  public boolean isSymbolicLink() {
    return false;
  }

  @Override
  public boolean isOther() {
    return false;
  }

  @Override
  public Object fileKey() {
    return key;
  }
}
