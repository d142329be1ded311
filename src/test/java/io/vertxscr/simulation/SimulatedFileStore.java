package io.vertxscr.simulation;

import java.nio.file.FileStore;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.util.function.LongSupplier;

/** How much room a {@link SimulatedDisk} has. */
final class SimulatedFileStore extends FileStore {
  private final String kind;
  private final long total;
  private final LongSupplier free;

  SimulatedFileStore(String kind, long total, LongSupplier free) {
    this.kind = kind;
    this.total = total;
    this.free = free;
  }

  @Override
  public String name() {
    return "simulated";
  }

  @Override
  public String type() {
    return kind;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public long getTotalSpace() {
    return total;
  }

  @Override
  public long getUsableSpace() {
    return free.getAsLong();
  }

  @Override
  public long getUnallocatedSpace() {
    return free.getAsLong();
  }

  @Override
  public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
    return true;
  }

  @Override
  public boolean supportsFileAttributeView(String name) {
    return true;
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
