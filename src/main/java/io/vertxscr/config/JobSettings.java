package io.vertxscr.config;

import io.vertxscr.config.policy.Checks;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Identity of a job.
 *
 * @param id of the allocation; a component of directory names, as {@code user} is
 * @param name empty where unknown
 * @param cluster empty where unknown
 * @param prefix absolute; empty for the application's working directory
 * @param endSeconds when the allocation ends, since 1970; empty where the batch system must be asked
 * @param scavengeSeconds after which a dead run counts as ended, and which the daemons reserve before the
 *     allocation ends, to bring the newest checkpoint to the prefix directory; 0: they do not
 */
public record JobSettings(
    String id, String name, String user, String cluster, Optional<Path> prefix, OptionalLong endSeconds,
    int scavengeSeconds) {
  /** Default of the wait. */
  public static final int SCAVENGE_SECONDS = 300;

  public JobSettings {
    Checks.component("job id", id);
    Checks.component("user", user);
    Objects.requireNonNull(name);
    Objects.requireNonNull(cluster);
    Checks.range("seconds before a scavenge", scavengeSeconds, 0, Integer.MAX_VALUE);
    prefix.ifPresent(path -> Checks.absolute("prefix", path));
  }

  /** Settings of an allocation with an unknown end. */
  public JobSettings(String id, String name, String user, String cluster, Optional<Path> prefix) {
    this(id, name, user, cluster, prefix, OptionalLong.empty(), SCAVENGE_SECONDS);
  }
}
