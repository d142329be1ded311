package io.vertxscr.model;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * Storage class for datasets, identified by its base directory ({@code STORE=<base>} in configuration files).
 *
 * @param base absolute path, the same on all nodes
 * @param group nodes that share one such device: NODE where each has its own
 * @param count checkpoints that are kept there, at least 1
 * @param sizeBytes what datasets may take there on one device; empty for all that the file system has
 * @param mkdir whether directories can be made there
 * @param sync when datasets are brought to stable storage
 */
public record StoreDescriptor(
    String base, String group, int count, OptionalLong sizeBytes, boolean mkdir, StoreSync sync) {
  /** A store that is synced as its file system suggests. */
  public StoreDescriptor(String base, String group, int count, OptionalLong sizeBytes, boolean mkdir) {
    this(base, group, count, sizeBytes, mkdir, StoreSync.AUTO);
  }

  public StoreDescriptor {
    Objects.requireNonNull(group);
    Objects.requireNonNull(sizeBytes);
    if (!base.startsWith("/")) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "store '" + base + "': expected an absolute path");
    }
    if (count < 1) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "store " + base + ": count is " + count + ", expected from 1");
    }
  }

  /** A store of each node's own that keeps so many checkpoints. */
  public static StoreDescriptor of(String base, int count) {
    return new StoreDescriptor(base, GroupDescriptors.NODE, count, OptionalLong.empty(), true);
  }
}
