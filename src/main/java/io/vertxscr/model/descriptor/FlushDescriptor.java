package io.vertxscr.model.descriptor;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.Objects;
import java.util.Optional;

/**
 * How a dataset's files go to the prefix directory. It is fixed when the dataset is written and stands in its filemaps,
 * because a flush, or a scavenge, may come when the run and its configuration are gone.
 *
 * @param containers how they are packed; empty if each file has a place of its own
 */
public record FlushDescriptor(Optional<Containers> containers) {
  /** Each file by itself. */
  public static final FlushDescriptor FILES = new FlushDescriptor(Optional.empty());
  /** Smallest container: thousands of files per dataset are what containers are there to avoid. */
  public static final long MIN_CONTAINER_BYTES = 4096;

  public FlushDescriptor {
    Objects.requireNonNull(containers);
  }

  /** Files packed into containers. */
  public static FlushDescriptor packed(long containerBytes, long alignBytes) {
    return new FlushDescriptor(Optional.of(new Containers(containerBytes, alignBytes)));
  }

  /**
   * @param bytes of a container at most (SCR_CONTAINER_SIZE)
   * @param alignBytes what each node begins writes at multiples of, at least 1 (SCR_CONTAINER_ALIGN)
   */
  public record Containers(long bytes, long alignBytes) {
    public Containers {
      if (bytes < MIN_CONTAINER_BYTES || alignBytes < 1) {
        throw new ScrException(Fault.BAD_CONFIGURATION, "containers of " + bytes + " bytes, aligned to " + alignBytes
            + ": expected at least " + MIN_CONTAINER_BYTES + ", and 1");
      }
    }
  }
}
