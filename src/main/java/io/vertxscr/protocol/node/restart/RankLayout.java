package io.vertxscr.protocol.node.restart;

import io.vertxscr.model.RankFiles;
import io.vertxscr.protocol.FieldChecks;
import java.util.Optional;

/**
 * A rank's part on a node.
 *
 * @param redundancy the redundancy file that the rank wrote there, relative to the dataset's directory
 */
public record RankLayout(RankFiles files, Optional<String> redundancy) {
  public RankLayout {
    redundancy.ifPresent(name -> FieldChecks.inside("redundancy", name));
  }
}
