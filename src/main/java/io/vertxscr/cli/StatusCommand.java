package io.vertxscr.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.config.Configuration;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code scr status}: asks the daemons of this user and job on this host. */
@Command(name = "status", description = "Print nodes, run and datasets, as the daemons of this host see them.")
final class StatusCommand implements Callable<Integer> {
  private static final int PATIENCE_S = 15;

  private final Map<String, String> environment;

  @Option(names = "--socket", paramLabel = "PATH",
      description = "Ask the daemon that listens there; otherwise all of this user and job on this host.")
  private Path socket;

  @Option(names = "--json", description = "Print the answers as a JSON array.")
  private boolean json;

  @Spec
  private CommandSpec spec;

  StatusCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter err = spec.commandLine().getErr();
    List<JsonObject> answers = new ArrayList<>();
    for (Path one : socket != null ? List.of(socket) : sockets()) {
      try {
        answers.add(ask(one));
      } catch (ScrException e) {
        err.println("scr: " + e.getMessage());
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(new JsonArray(answers).encodePrettily());
    } else if (!answers.isEmpty()) {
      StatusPage.lines(answers).forEach(out::println);
    }
    return answers.isEmpty() ? Scr.FAILED : 0;
  }

  private List<Path> sockets() throws IOException {
    Settings settings = Settings.load(environment, Configuration.systemFile(environment));
    Path job = settings.cache().controlBase().resolve(settings.job().user())
        .resolve("scr." + settings.job().id());
    List<Path> found = List.of();
    if (Files.isDirectory(job)) {
      try (Stream<Path> nodes = Files.list(job)) {
        found = nodes.map(node -> node.resolve("scr.sock")).filter(Files::exists).sorted().toList();
      }
    }
    if (found.isEmpty()) {
      throw new ScrException(Fault.NODE_LOST, "no daemon of user " + settings.job().user() + " and job "
          + settings.job().id() + " runs on this host (nothing listens in " + job + ")");
    }
    return found;
  }

  private static JsonObject ask(Path socket) throws InterruptedException {
    ScrClient client = ScrClient.connect(socket);
    try {
      return client.status().toCompletionStage().toCompletableFuture().get(PATIENCE_S, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ScrException(Fault.TIMEOUT, "the daemon at " + socket + " does not answer within " + PATIENCE_S + " s",
          e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof ScrException known ? known
          : new ScrException(Fault.INTERNAL, "the daemon at " + socket + ": " + e.getCause(), e);
    } finally {
      client.close();
    }
  }
}
