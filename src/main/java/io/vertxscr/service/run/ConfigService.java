package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.config.ConfText;
import io.vertxscr.config.Configuration;
import io.vertxscr.config.SettingsSources;
import io.vertxscr.config.UserSettings;
import io.vertxscr.protocol.app.ConfigReply;
import io.vertxscr.protocol.app.ConfigRequest;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.service.Loop;
import io.vertxscr.service.PrefixJobs;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads what applications of a node have configured. On the node's loop. */
public final class ConfigService {
  private static final Logger LOG = LoggerFactory.getLogger(ConfigService.class);

  private final Loop loop;
  private final Configuration system;
  private final RunService runs;
  private Optional<Read> last = Optional.empty();

  /** The file of the last run. */
  private record Read(Optional<Path> place, Optional<ConfText> file) {}

  /** Reads for a node. */
  public ConfigService(Loop loop, Configuration system, RunService runs) {
    this.loop = loop;
    this.system = system;
    this.runs = runs;
  }

  /** Answers a query for a parameter, before the application is in a run. */
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

  /**
   * Reads what the settings of rank 0, which waits here, refer to: what a message names is not read. Without an answer
   * of the file system, what was read there before counts.
   */
  public Future<SettingsSources> ofRun() {
    InitRequest first = runs.first();
    UserSettings user = new UserSettings(Optional.of(loop.files().path(first.prefix())),
        first.environment().orElse(Map.of()), first.config().orElse(List.of()));
    return loop.prefix().ask(PrefixJobs.PATIENCE_AT_BEGIN, "read the configuration of a run", user::text)
        .recover(failure -> lastRead(user, failure))
        .onSuccess(file -> last = Optional.of(new Read(user.place(), file)))
        .map(file -> user.sources(file, system.variables()));
  }

  private Future<Optional<ConfText>> lastRead(UserSettings user, Throwable failure) {
    Optional<Read> known = last.filter(read -> read.place().equals(user.place()));
    if (known.isEmpty() || !PrefixJobs.isNoAnswer(failure)) {
      return Future.failedFuture(failure);
    }
    LOG.warn("the run has the configuration file of the one before it: {}", failure.getMessage());
    return Future.succeededFuture(known.get().file());
  }
}
