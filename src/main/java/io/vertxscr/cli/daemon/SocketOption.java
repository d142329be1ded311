package io.vertxscr.cli.daemon;

import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.JobDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** Which daemons of this host a command asks. */
public final class SocketOption {
  /** For an answer. */
  public static final Duration PATIENCE = Duration.ofSeconds(LocalDaemons.PATIENCE_S);

  @Option(names = "--socket", paramLabel = "PATH",
      description = "Ask the daemon that listens there; otherwise those of this user and job on this host.")
  private Path socket;

  /** Whether one was named. */
  public boolean isGiven() {
    return socket != null;
  }

  /** @throws ScrException NODE_LOST where none is known */
  public List<Path> sockets(Map<String, String> environment) throws IOException {
    return isGiven() ? List.of(socket) : LocalDaemons.job(environment).sockets();
  }

  /**
   * Asks one after the other until one answers or refuses, for what each can answer for all.
   *
   * @throws ScrException the refusal; NODE_LOST where none listens, else why the last one that does cannot answer
   */
  public JsonObject askAny(Map<String, String> environment,
      Function<ScrClient, CompletableFuture<Map<String, Object>>> question) throws IOException, InterruptedException {
    List<Path> daemons = sockets(environment);
    AtomicBoolean anyListens = new AtomicBoolean();
    try {
      return LocalDaemons.any(daemons, daemon -> LocalDaemons.ask(daemon, client -> {
        anyListens.set(true);
        return question.apply(client);
      }));
    } catch (ScrException e) {
      if (isGiven() || anyListens.get() || e.fault() != Fault.NODE_LOST) {
        throw e;
      }
      throw new ScrException(Fault.NODE_LOST, LocalDaemons.job(environment).ended(
          daemons.stream().map(JobDirectory::nodeOf).toList(), true), e);
    }
  }
}
