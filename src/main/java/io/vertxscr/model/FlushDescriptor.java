package io.vertxscr.model;

import java.util.Optional;

/**
 * Form of a dataset's files in the prefix directory. It is fixed when the dataset is written and stands in its
 * filemaps, because a flush, or a scavenge, may come when the run and its configuration are gone.
 *
 * @param containers how they are packed; empty if each file has a place of its own
 * @param compression how each is compressed; empty if it is not, and always if they are packed: where a file begins in
 *     a container must be known before any node copies
 */
public record FlushDescriptor(Optional<ContainerSizes> containers, Optional<Compression> compression) {
  /** Each file by itself. */
  public static final FlushDescriptor FILES = new FlushDescriptor(Optional.empty(), Optional.empty());
  /** Smallest container: thousands of files per dataset are what containers are there to avoid. */
  public static final long MIN_CONTAINER_BYTES = 4096;

  public FlushDescriptor {
    if (containers.isPresent() && compression.isPresent()) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "files in containers cannot be compressed");
    }
  }

  /** Files packed into containers. */
  public static FlushDescriptor packed(long containerBytes, long alignBytes) {
    return new FlushDescriptor(Optional.of(new ContainerSizes(containerBytes, alignBytes)), Optional.empty());
  }

  /** Returns the descriptor with compression, if configured. */
  public FlushDescriptor with(Optional<Compression> asked) {
    return new FlushDescriptor(containers, asked);
  }

  /**
   * @param bytes of a container at most (SCR_CONTAINER_SIZE)
   * @param alignBytes what each node begins writes at multiples of, at least 1 (SCR_CONTAINER_ALIGN)
   */
  public record ContainerSizes(long bytes, long alignBytes) {
    public ContainerSizes {
      if (bytes < MIN_CONTAINER_BYTES || alignBytes < 1) {
        throw new ScrException(Fault.BAD_CONFIGURATION, "containers of " + bytes + " bytes, aligned to " + alignBytes
            + ": expected at least " + MIN_CONTAINER_BYTES + ", and 1");
      }
    }
  }
}
