package io.vertxscr.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.JsonVersion;
import io.vertxscr.cli.text.StyledLine;
import io.vertxscr.cli.text.Terminal;
import io.vertxscr.client.ScrClient;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.JobDirectory;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code scr status}: asks the daemons of this user and job on this host. */
@Command(name = "status", sortOptions = false, description = {
    "Print nodes, run, datasets and what wants attention, as the daemons of this host see them, on one page.",
    "A dataset is full, degraded (a restart rebuilds what is missing), lost, pending (being written) or none (without"
        + " redundancy on other nodes). Colours are for terminals; NO_COLOR=1 switches them off."})
final class StatusCommand implements Callable<Integer> {
  private final Map<String, String> environment;

  @Mixin
  private SocketOption socket;

  @Option(names = "--all", description = "Print all there is: every dataset of every node of this host, every remark.")
  private boolean everything;

  @Option(names = "--json", description = "Print the answers as a JSON array (docs/json.md).")
  private boolean json;

  @Option(names = "--watch", paramLabel = "SECONDS", arity = "0..1", fallbackValue = "1", description = {
      "Ask again every so many seconds (1), until q or Ctrl-C; progress of flushes is drawn as bars."
          + " Redraws in place on a terminal, else prints one page after the other."})
  private Integer watchSeconds;

  @Spec
  private CommandSpec spec;

  StatusCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (watchSeconds != null && (watchSeconds < 1 || json)) {
      throw new ScrException(Fault.BAD_REQUEST, "--watch takes 1 s or more, and does not go with --json");
    }
    Terminal terminal = Terminal.of(environment);
    if (watchSeconds == null) {
      return print(ask(), terminal) ? 0 : ScrCommand.FAILED;
    }
    return terminal.interactive() ? redraw(terminal) : repeat(terminal);
  }

  /** What daemons have said, and what is to be complained of. */
  private record Asked(List<JsonObject> answers, Set<String> dead, List<String> complaints) {}

  /** Draws in place until somebody quits, or no daemon is left. */
  private int redraw(Terminal terminal) throws IOException, InterruptedException {
    Asked asked = ask();
    try (WatchScreen screen = WatchScreen.open(System.out)) {
      do {
        if (asked.answers().isEmpty()) {
          break;
        }
        List<StyledLine> page = new ArrayList<>(page(asked, true));
        asked.complaints().forEach(complaint -> page.add(StyledLine.of(complaint)));
        screen.draw(page.stream().map(terminal::text).toList());
        if (screen.isQuit(Duration.ofSeconds(watchSeconds))) {
          return 0;
        }
        asked = ask();
      } while (true);
    }
    return print(asked, terminal) ? 0 : ScrCommand.FAILED;
  }

  /** Prints one page after the other until no daemon is left. */
  private int repeat(Terminal terminal) throws IOException, InterruptedException {
    while (print(ask(), terminal)) {
      spec.commandLine().getOut().println();
      Thread.sleep(Duration.ofSeconds(watchSeconds));     // polls daemons, for somebody who looks on
    }
    return ScrCommand.FAILED;
  }

  private Asked ask() throws IOException, InterruptedException {
    List<JsonObject> answers = new ArrayList<>();
    Set<String> dead = new TreeSet<>();
    List<String> complaints = new ArrayList<>();
    for (Path one : socket.sockets(environment)) {
      try {
        answers.add(new JsonObject(SocketOption.ask(one, ScrClient::status)));
      } catch (ScrException e) {
        if (!socket.isGiven() && e.fault() == Fault.NODE_LOST) {
          dead.add(JobDirectory.nodeOf(one));
        } else {
          complaints.add("scr: " + Names.printable(e.getMessage()));
        }
      }
    }
    if (!dead.isEmpty()) {
      complaints.add("scr: " + socket.job(environment).ended(dead, answers.isEmpty()));
    }
    return new Asked(answers, dead, complaints);
  }

  /** Daemons of an earlier release, which may outlive an upgrade, have no answer for the page. */
  private List<StyledLine> page(Asked asked, boolean bars) {
    boolean all = everything || !asked.answers().getFirst().containsKey("cluster");
    return all ? StatusPage.lines(asked.answers(), asked.dead(), bars).stream().map(StyledLine::of).toList()
        : StatusGlance.lines(new StatusView(asked.answers(), asked.dead()), bars);
  }

  /** @return whether a daemon has answered */
  private boolean print(Asked asked, Terminal terminal) {
    asked.complaints().forEach(spec.commandLine().getErr()::println);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(new JsonArray(asked.answers().stream().map(JsonVersion::of).toList()).encodePrettily());
    } else if (!asked.answers().isEmpty()) {
      List<StyledLine> page = page(asked, terminal.interactive());
      if (terminal.colours()) {
        page.forEach(line -> System.out.println(line.coloured()));   // past the writer, which would strip it
        System.out.flush();
      } else {
        page.forEach(line -> out.println(line.plain()));
      }
    }
    out.flush();
    return !asked.answers().isEmpty();
  }
}
