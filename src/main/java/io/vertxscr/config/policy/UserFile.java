package io.vertxscr.config.policy;

import java.util.List;
import java.util.Optional;

/**
 * The user's configuration file as a run has read it. Every node of the run keeps it: the next one may begin while the
 * file system does not answer.
 *
 * @param place absolute path
 * @param lines empty if there was no such file
 */
public record UserFile(String place, Optional<List<String>> lines) {
  public UserFile {
    lines = lines.map(List::copyOf);
  }
}
