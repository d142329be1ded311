package io.vertxscr.protocol.node.run;

import io.vertxscr.config.policy.UserFile;
import io.vertxscr.protocol.FieldChecks;
import java.util.Optional;

/**
 * What a node knows of a user's configuration file.
 *
 * @param run in which it was so; 0 where it knows nothing
 * @param file empty where it knows nothing
 */
public record KnownUserFile(long run, Optional<UserFile> file) {
  /** Of a node that has had no run with it. */
  public static final KnownUserFile NOTHING = new KnownUserFile(0, Optional.empty());

  public KnownUserFile {
    FieldChecks.count("run", run);
  }
}
