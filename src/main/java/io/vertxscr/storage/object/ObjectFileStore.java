package io.vertxscr.storage.object;

import java.nio.file.FileStore;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;

/** The room of an object store, which has no end that anybody could ask for. */
final class ObjectFileStore extends FileStore {
  @Override
  public String name() {
    return ObjectFileSystem.KIND;
  }

  @Override
  public String type() {
    return ObjectFileSystem.KIND;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public long getTotalSpace() {
    return Long.MAX_VALUE;
  }

  @Override
  public long getUsableSpace() {
    return Long.MAX_VALUE;
  }

  @Override
  public long getUnallocatedSpace() {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
    return type.isAssignableFrom(PosixFileAttributeView.class);
  }

  @Override
  public boolean supportsFileAttributeView(String name) {
    return name.equals("basic") || name.equals("posix");
  }

  @Override
  public <V extends FileStoreAttributeView> V getFileStoreAttributeView(Class<V> type) {
    return null;
  }

  @Override
  public Object getAttribute(String attribute) {
    throw new UnsupportedOperationException(attribute);
  }
}
