package io.vertxscr.model;

import java.util.Objects;

/**
 * Redundancy descriptor: caching and protection of some checkpoints. An entry {@code CKPT=<index>} in configuration
 * files.
 *
 * @param index its place in the list, from 0
 * @param enabled whether it may be chosen
 * @param interval it is for checkpoints whose id this divides, unless a larger interval does; at least 1
 * @param group failure group: no two members of a redundancy set are in the same one
 * @param storeBase base of the store whose cache holds the files
 * @param bypass whether the files go to the prefix directory at once, past the cache
 */
public record CheckpointDescriptor(
    int index, boolean enabled, int interval, String group, String storeBase, Redundancy redundancy, boolean bypass) {
  public CheckpointDescriptor {
    Objects.requireNonNull(group);
    Objects.requireNonNull(storeBase);
    Objects.requireNonNull(redundancy);
    if (index < 0 || interval < 1) {
      throw new ScrException(Fault.BAD_CONFIGURATION,
          "checkpoint descriptor " + index + ": interval is " + interval + ", expected a whole number from 1");
    }
  }
}
