package io.vertxscr.storage.userspace;

import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipal;

/** Attributes of a file or a directory; there is nothing else. The group is the owner, and there is one time. */
public interface UserspaceAttributes extends PosixFileAttributes {
  @Override
  default UserPrincipal owner() {
    return group();
  }

  @Override
  default FileTime lastAccessTime() {
    return lastModifiedTime();
  }

  @Override
  default FileTime creationTime() {
    return lastModifiedTime();
  }

  @Override
  default boolean isRegularFile() {
    return !isDirectory();
  }

  @Override
  default boolean isSymbolicLink() {
    return false;
  }

  @Override
  default boolean isOther() {
    return false;
  }
}
