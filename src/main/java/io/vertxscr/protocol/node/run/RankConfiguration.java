package io.vertxscr.protocol.node.run;

import java.util.List;
import java.util.Map;

/** Environment and calls of the rank whose configuration counts. */
public record RankConfiguration(Map<String, String> environment, List<String> calls) {
  /** Of an application that configures nothing. */
  public static final RankConfiguration NOTHING = new RankConfiguration(Map.of(), List.of());
}
