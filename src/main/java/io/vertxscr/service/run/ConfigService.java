package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.config.ConfText;
import io.vertxscr.config.Configuration;
import io.vertxscr.config.SettingsSources;
import io.vertxscr.config.UserSettings;
import io.vertxscr.protocol.app.ConfigReply;
import io.vertxscr.protocol.app.ConfigRequest;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.KnownUserFile;
import io.vertxscr.protocol.node.run.UserFileAsk;
import io.vertxscr.service.BoundedWait;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.PrefixJobs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads what applications of a node have configured. On the node's loop. */
public final class ConfigService {
  private static final Logger LOG = LoggerFactory.getLogger(ConfigService.class);

  /** For an answer from memory. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final Loop loop;
  private final NodeBus bus;
  private final Membership membership;
  private final Configuration system;
  private final RunService runs;

  /** Reads for a node. */
  public ConfigService(Loop loop, NodeBus bus, Membership membership, Configuration system, RunService runs) {
    this.loop = loop;
    this.bus = bus;
    this.membership = membership;
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
   * of the file system, what the last run has read there counts, as any node knows it.
   */
  public Future<SettingsSources> ofRun() {
    InitRequest first = runs.first();
    UserSettings user = new UserSettings(Optional.of(loop.files().path(first.prefix())),
        first.environment().orElse(Map.of()), first.config().orElse(List.of()));
    return loop.prefix().ask(PrefixJobs.PATIENCE_AT_BEGIN, "read the configuration of a run", user::text)
        .recover(failure -> lastRead(user, failure))
        .map(file -> user.sources(file, system.variables()));
  }

  /** What the last run of this node has read. */
  public Future<KnownUserFile> known(UserFileAsk ask) {
    return Future.succeededFuture(runs.run().map(LocalRun::info).flatMap(info -> info.policy().userFile()
            .filter(file -> file.place().equals(ask.place()))
            .map(file -> new KnownUserFile(info.run(), Optional.of(file))))
        .orElse(KnownUserFile.NOTHING));
  }

  private Future<Optional<ConfText>> lastRead(UserSettings user, Throwable failure) {
    Optional<Path> place = user.place();
    if (place.isEmpty() || !PrefixJobs.isNoAnswer(failure)) {
      return Future.failedFuture(failure);
    }
    UserFileAsk ask = new UserFileAsk(place.get().toString());
    List<Future<KnownUserFile>> asked = membership.nodes().stream().map(node -> BoundedWait.of(loop, PATIENCE,
        bus.ask(node.name(), NodeVerb.USER_FILE, ask, KnownUserFile.class), KnownUserFile.NOTHING)).toList();
    return Future.all(asked).compose(_ -> asked.stream().map(Future::result)
        .filter(known -> known.file().isPresent()).max(Comparator.comparingLong(KnownUserFile::run))
        .map(known -> {
          LOG.warn("the run has the configuration file of run {}: {}", known.run(), failure.getMessage());
          return Future.succeededFuture(
              known.file().get().lines().map(lines -> new ConfText(ask.place(), lines)));
        }).orElseGet(() -> Future.failedFuture(failure)));
  }
}
