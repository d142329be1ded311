package io.vertxscr.cli.daemon;

import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.config.Configuration;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.JobDirectory;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** How a command asks the daemons of this host. */
public final class LocalDaemons {
  static final int PATIENCE_S = 15;
  /** Faults of the daemon that was asked. All others are the answer, which another one would give, too. */
  private static final Set<Fault> OF_THE_DAEMON =
      EnumSet.of(Fault.NODE_LOST, Fault.TIMEOUT, Fault.STOPPING, Fault.INTERNAL);

  private LocalDaemons() {}

  /** A question to one of them. */
  interface DaemonQuestion {
    JsonObject ask(Path daemon) throws InterruptedException;
  }

  /** Where the daemons of this user and job have their sockets. */
  public static JobDirectory job(Map<String, String> environment) {
    return job(Settings.load(environment, Configuration.systemFile(environment)));
  }

  /** The same by these settings. */
  public static JobDirectory job(Settings settings) {
    return new JobDirectory(settings.cache().controlBase(), settings.job().user(), settings.job().id());
  }

  /** Asks one daemon. @throws ScrException of the daemon, NODE_LOST where none listens, TIMEOUT */
  public static JsonObject ask(Path daemon, Function<ScrClient, CompletableFuture<Map<String, Object>>> question)
      throws InterruptedException {
    ScrClient client = connect(daemon);
    try {
      return new JsonObject(question.apply(client).get(PATIENCE_S, TimeUnit.SECONDS));
    } catch (TimeoutException e) {
      throw silent(daemon, PATIENCE_S, e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof ScrException known ? known
          : new ScrException(Fault.INTERNAL, "the daemon at " + daemon + ": " + e.getCause(), e);
    } finally {
      client.close();
    }
  }

  /** The failure of a daemon that owes an answer, and what to do about it. */
  static ScrException silent(Path daemon, long seconds, TimeoutException cause) {
    return new ScrException(Fault.TIMEOUT, "the daemon at " + daemon + " does not answer within " + seconds + " s: it"
        + " hangs, or its machine is busy; its log may say why, and --socket asks another one", cause);
  }

  private static ScrClient connect(Path daemon) {
    try {
      return ScrClient.connect(daemon);
    } catch (ScrException e) {
      throw e.fault() != Fault.NODE_LOST ? e : new ScrException(Fault.NODE_LOST,
          e.getMessage() + "; 'scr node' starts a daemon, and says where it listens", e);
    }
  }

  /**
   * Asks one after the other until one answers or refuses, for what each can answer for all.
   *
   * @throws ScrException the refusal; NODE_LOST where none listens, else why the last one that does cannot answer
   */
  static JsonObject any(List<Path> daemons, DaemonQuestion question) throws InterruptedException {
    ScrException failed = new ScrException(Fault.NODE_LOST, "there is no daemon of this user and job on this host");
    for (Path daemon : daemons) {
      try {
        return question.ask(daemon);
      } catch (ScrException e) {
        if (!OF_THE_DAEMON.contains(e.fault())) {
          throw e;
        }
        failed = failed.fault() == Fault.NODE_LOST || e.fault() != Fault.NODE_LOST ? e : failed;
      }
    }
    throw failed;
  }
}
