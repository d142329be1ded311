package io.vertxscr.cli.daemon;

import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.config.Configuration;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.JobDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** Which daemons of this host a command asks. */
public final class SocketOption {
  private static final int PATIENCE_S = 15;
  /** For an answer. */
  public static final Duration PATIENCE = Duration.ofSeconds(PATIENCE_S);

  @Option(names = "--socket", paramLabel = "PATH",
      description = "Ask the daemon that listens there; otherwise those of this user and job on this host.")
  private Path socket;

  /** Whether one was named. */
  public boolean isGiven() {
    return socket != null;
  }

  /** @throws ScrException NODE_LOST where none is known */
  public List<Path> sockets(Map<String, String> environment) throws IOException {
    return isGiven() ? List.of(socket) : job(environment).sockets();
  }

  public JobDirectory job(Map<String, String> environment) {
    Settings settings = Settings.load(environment, Configuration.systemFile(environment));
    return new JobDirectory(settings.cache().controlBase(), settings.job().user(), settings.job().id());
  }

  /**
   * Asks one after the other until one answers, for what each can answer for all.
   *
   * @throws ScrException NODE_LOST where there is none, else why the last one does not
   */
  public JsonObject askAny(Map<String, String> environment,
      Function<ScrClient, CompletableFuture<Map<String, Object>>> question) throws IOException, InterruptedException {
    ScrException failed = new ScrException(Fault.NODE_LOST, "there is no daemon of this user and job on this host");
    for (Path daemon : sockets(environment)) {
      try {
        return ask(daemon, question);
      } catch (ScrException e) {
        failed = e;
      }
    }
    throw failed;
  }

  /** Asks one daemon. @throws ScrException of the daemon, NODE_LOST where none listens, TIMEOUT */
  static JsonObject ask(Path daemon, Function<ScrClient, CompletableFuture<Map<String, Object>>> question)
      throws InterruptedException {
    ScrClient client = ScrClient.connect(daemon);
    try {
      return new JsonObject(question.apply(client).get(PATIENCE_S, TimeUnit.SECONDS));
    } catch (TimeoutException e) {
      throw new ScrException(Fault.TIMEOUT, "the daemon at " + daemon + " does not answer within " + PATIENCE_S + " s",
          e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof ScrException known ? known
          : new ScrException(Fault.INTERNAL, "the daemon at " + daemon + ": " + e.getCause(), e);
    } finally {
      client.close();
    }
  }
}
