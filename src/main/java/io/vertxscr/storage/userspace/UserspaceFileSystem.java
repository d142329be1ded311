package io.vertxscr.storage.userspace;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.List;

/** A file system of this process: it has one root, and is open as long as its process. */
public abstract class UserspaceFileSystem extends FileSystem {
  /** @throws IOException NoSuchFileException if nothing is there */
  protected abstract void require(UserspacePath whole) throws IOException;

  @Override
  public final void close() {
    throw new UnsupportedOperationException("it is open as long as its process");
  }

  @Override
  public final boolean isOpen() {
    return true;
  }

  @Override
  public final boolean isReadOnly() {
    return false;
  }

  @Override
  public final String getSeparator() {
    return "/";
  }

  @Override
  public final Iterable<Path> getRootDirectories() {
    return List.of(getPath("/"));
  }

  @Override
  public final UserspacePath getPath(String first, String... more) {
    return UserspacePath.of(this, more.length == 0 ? first : first + "/" + String.join("/", more));
  }

  @Override
  public final UserPrincipalLookupService getUserPrincipalLookupService() {
    throw new UnsupportedOperationException();
  }

  @Override
  public final WatchService newWatchService() {
    throw new UnsupportedOperationException();
  }
}
