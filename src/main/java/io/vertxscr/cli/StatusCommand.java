package io.vertxscr.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.daemon.LocalDaemons;
import io.vertxscr.cli.daemon.SocketOption;
import io.vertxscr.cli.daemon.StatusQuestions;
import io.vertxscr.cli.text.JsonVersion;
import io.vertxscr.cli.text.StyledLine;
import io.vertxscr.cli.text.Terminal;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.JobDirectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code scr status}: asks the daemons of this user and job on this host. */
@Command(name = StatusCommand.NAME, sortOptions = false, description = {
    "Print nodes, run, datasets and what wants attention, as the daemons of this host see them, on one page.",
    "A dataset is full, degraded (a restart rebuilds what is missing), lost, pending (being written) or none (without"
        + " redundancy on other nodes). Colours are for terminals; NO_COLOR=1 switches them off."})
final class StatusCommand implements Callable<Integer> {
  static final String NAME = "status";

  /** For an answer, while somebody looks on: what the others say must not wait long for one that hangs. */
  private static final Duration WATCH_PATIENCE = Duration.ofSeconds(3);
  /** So soon a key is heard while daemons are asked. */
  private static final Duration KEY_WAIT = Duration.ofMillis(100);

  private final Map<String, String> environment;
  private StatusQuestions questions = new StatusQuestions(SocketOption.PATIENCE);

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
    questions = new StatusQuestions(WATCH_PATIENCE);
    return terminal.interactive() ? redraw(terminal) : repeat(terminal);
  }

  /** What daemons have said, and what is to be complained of. @param hang whether some are there and say nothing */
  private record Asked(List<JsonObject> answers, Set<String> dead, List<String> complaints, boolean hang) {
    /** Whether there is a daemon. One that hangs may go on, or ends itself. */
    boolean isAnyLeft() {
      return hang || !answers.isEmpty();
    }
  }

  /** Draws in place until somebody quits, or no daemon is left. */
  private int redraw(Terminal terminal) throws IOException, InterruptedException {
    Asked asked = ask();
    if (asked.isAnyLeft()) {
      try (WatchScreen screen = WatchScreen.open(System.out)) {
        Optional<Asked> last = watch(screen, asked, terminal);
        if (last.isEmpty()) {
          return 0;
        }
        asked = last.get();
      }
    }
    return print(asked, terminal) ? 0 : ScrCommand.FAILED;
  }

  /** While no daemon answers, the last page stays, with the complaint. @return empty when somebody has quit */
  private Optional<Asked> watch(WatchScreen screen, Asked first, Terminal terminal)
      throws IOException, InterruptedException {
    Asked asked = first;
    List<StyledLine> page = List.of();
    while (asked.isAnyLeft()) {
      page = asked.answers().isEmpty() ? page : page(asked, true);
      List<StyledLine> shown = new ArrayList<>(page);
      asked.complaints().stream().flatMap(complaint ->
          StyledLine.wrapped(complaint, StatusGlance.COLUMNS).stream()).map(StyledLine::of).forEach(shown::add);
      screen.draw(shown.stream().map(terminal::text).toList());
      if (screen.isQuit(Duration.ofSeconds(watchSeconds))) {
        return Optional.empty();
      }
      FutureTask<Asked> next = new FutureTask<>(this::ask);
      Thread.ofPlatform().daemon().name("scr-watch").start(next);     // keys are heard while a daemon hangs
      do {
        if (screen.isQuit(KEY_WAIT)) {
          return Optional.empty();
        }
      } while (!next.isDone());
      asked = result(next);
    }
    return Optional.of(asked);
  }

  private static Asked result(FutureTask<Asked> asking) throws IOException, InterruptedException {
    try {
      return asking.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case ScrException known -> throw known;
        case IOException known -> throw known;
        default -> throw new IllegalStateException(e);
      }
    }
  }

  /** Prints one page after the other until no daemon is left. */
  private int repeat(Terminal terminal) throws IOException, InterruptedException {
    Asked asked = ask();
    while (asked.isAnyLeft()) {
      if (print(asked, terminal)) {
        spec.commandLine().getOut().println();
      }
      Thread.sleep(Duration.ofSeconds(watchSeconds));     // polls daemons, for somebody who looks on
      asked = ask();
    }
    print(asked, terminal);
    return ScrCommand.FAILED;
  }

  private Asked ask() throws IOException, InterruptedException {
    List<JsonObject> answers = new ArrayList<>();
    Set<String> dead = new TreeSet<>();
    List<String> complaints = new ArrayList<>();
    List<StatusQuestions.StatusOutcome> outcomes = questions.ask(socket.sockets(environment));
    for (StatusQuestions.StatusOutcome outcome : outcomes) {
      outcome.answer().ifPresent(answers::add);
      outcome.failure().ifPresent(e -> {
        if (!socket.isGiven() && e.fault() == Fault.NODE_LOST) {
          dead.add(JobDirectory.nodeOf(outcome.daemon()));
        } else {
          complaints.add("scr: " + Names.printable(e.getMessage()));
        }
      });
    }
    boolean hang = outcomes.stream().anyMatch(StatusQuestions.StatusOutcome::hangs);
    if (!dead.isEmpty()) {
      complaints.add("scr: " + LocalDaemons.job(environment).ended(dead, answers.isEmpty() && !hang));
    }
    return new Asked(answers, dead, complaints, hang);
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
