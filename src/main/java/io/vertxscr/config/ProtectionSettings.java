package io.vertxscr.config;

import io.vertxscr.model.Scheme;
import java.util.Objects;

/**
 * How datasets in the cache are protected.
 *
 * @param setSize fewest members of a redundancy set where there are so many ranks, 2 to 1024
 */
public record ProtectionSettings(Scheme scheme, int setSize) {
  public ProtectionSettings {
    Objects.requireNonNull(scheme);
    Checks.range("set size", setSize, 2, 1024);
  }
}
