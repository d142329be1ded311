package io.vertxscr.protocol.node.run;

import io.vertxscr.protocol.app.ConfigRequest;
import java.util.List;
import java.util.Map;

/** Environment and calls of the rank whose configuration counts. */
public record RankConfiguration(Map<String, String> environment, List<String> calls) {
  public RankConfiguration {
    ConfigRequest.checkEnvironment(environment);
    ConfigRequest.checkConfig(calls);
  }

  /** Of an application that configures nothing. */
  public static final RankConfiguration NOTHING = new RankConfiguration(Map.of(), List.of());
}
