package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.config.Configuration;
import io.vertxscr.config.UserSettings;
import io.vertxscr.protocol.app.ConfigReply;
import io.vertxscr.protocol.app.ConfigRequest;
import io.vertxscr.service.Loop;
import io.vertxscr.service.PrefixJobs;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Answers queries for parameters, before an application is in a run. On the node's loop. */
public final class ConfigService {
  private final Loop loop;
  private final Configuration system;

  /** Answers for a node. */
  public ConfigService(Loop loop, Configuration system) {
    this.loop = loop;
    this.system = system;
  }

  public Future<ConfigReply> config(ConfigRequest request) {
    Map<String, String> environment = request.environment().orElse(Map.of());
    Optional<Path> prefix =
        Optional.ofNullable(environment.get("SCR_PREFIX")).map(loop.files()::path).filter(Path::isAbsolute);
    UserSettings user = new UserSettings(prefix, environment, request.config().orElse(List.of()));
    return loop.prefix().ask(PrefixJobs.PATIENCE_AT_BEGIN, "read the configuration of an application", () -> {
      Configuration all = system.with(user);
      all.effective();                                    // refuses here what it would refuse at init
      return new ConfigReply(request.query().flatMap(all::said));
    });
  }
}
