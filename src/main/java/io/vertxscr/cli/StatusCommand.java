package io.vertxscr.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.config.Configuration;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.JobDirectory;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code scr status}: asks the daemons of this user and job on this host. */
@Command(name = "status", description = "Print nodes, run and datasets, as the daemons of this host see them.")
final class StatusCommand implements Callable<Integer> {
  private static final int PATIENCE_S = 15;
  private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";

  private final Map<String, String> environment;

  @Option(names = "--socket", paramLabel = "PATH",
      description = "Ask the daemon that listens there; otherwise all of this user and job on this host.")
  private Path socket;

  @Option(names = "--json", description = "Print the answers as a JSON array.")
  private boolean json;

  @Option(names = "--watch", paramLabel = "SECONDS", arity = "0..1", fallbackValue = "1",
      description = "Ask again every so many seconds (1), until interrupted; progress of flushes is drawn as bars.")
  private Integer watchSeconds;

  @Spec
  private CommandSpec spec;

  StatusCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (watchSeconds == null) {
      return print();
    }
    if (watchSeconds < 1 || json) {
      throw new ScrException(Fault.BAD_REQUEST, "--watch takes 1 s or more, and does not go with --json");
    }
    int answered = print();
    while (answered == 0) {
      Thread.sleep(Duration.ofSeconds(watchSeconds));     // polls daemons, for somebody who looks on
      answered = print();
    }
    return answered;                                      // the daemons are gone
  }

  private int print() throws IOException, InterruptedException {
    PrintWriter err = spec.commandLine().getErr();
    List<JsonObject> answers = new ArrayList<>();
    Set<String> dead = new TreeSet<>();
    for (Path one : socket != null ? List.of(socket) : job().sockets()) {
      try {
        answers.add(ask(one));
      } catch (ScrException e) {
        if (socket == null && e.fault() == Fault.NODE_LOST) {
          dead.add(JobDirectory.nodeOf(one));
        } else {
          err.println("scr: " + Names.printable(e.getMessage()));
        }
      }
    }
    if (!dead.isEmpty()) {
      err.println("scr: " + job().ended(dead, answers.isEmpty()));
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(new JsonArray(answers).encodePrettily());
    } else if (!answers.isEmpty()) {
      boolean onTerminal = isOnTerminal();
      if (watchSeconds != null && onTerminal) {
        System.out.print(CLEAR_SCREEN);                   // past the writer, which lets no such thing through
        System.out.flush();
      }
      StatusPage.lines(answers, dead, onTerminal).stream().map(Names::printable).forEach(out::println);
      out.print(watchSeconds != null && !onTerminal ? System.lineSeparator() : "");
    }
    out.flush();
    return answers.isEmpty() ? ScrCommand.FAILED : 0;
  }

  private boolean isOnTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal() && !environment.getOrDefault("TERM", "dumb").equals("dumb");
  }

  private JobDirectory job() {
    Settings settings = Settings.load(environment, Configuration.systemFile(environment));
    return new JobDirectory(settings.cache().controlBase(), settings.job().user(), settings.job().id());
  }

  private static JsonObject ask(Path socket) throws InterruptedException {
    ScrClient client = ScrClient.connect(socket);
    try {
      return new JsonObject(client.status().get(PATIENCE_S, TimeUnit.SECONDS));
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
