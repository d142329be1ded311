package io.vertxscr.config;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Who runs what.
 *
 * @param id of the allocation; a component of directory names, as {@code user} is
 * @param name empty where unknown
 * @param cluster empty where unknown
 * @param prefix absolute; empty for the application's working directory
 * @param endSeconds when the allocation ends, since 1970; empty where the batch system must be asked
 */
public record JobSettings(
    String id, String name, String user, String cluster, Optional<Path> prefix, OptionalLong endSeconds) {
  public JobSettings {
    Checks.component("job id", id);
    Checks.component("user", user);
    Objects.requireNonNull(name);
    Objects.requireNonNull(cluster);
    prefix.ifPresent(path -> Checks.absolute("prefix", path));
  }

  /** In an allocation of which nobody has said when it ends. */
  public JobSettings(String id, String name, String user, String cluster, Optional<Path> prefix) {
    this(id, name, user, cluster, prefix, OptionalLong.empty());
  }
}
