package io.vertxscr.cli;

import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.daemon.EventReader;
import io.vertxscr.cli.daemon.SocketOption;
import io.vertxscr.cli.text.JsonVersion;
import io.vertxscr.cli.text.Terminal;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code scr events}: what has happened in the cluster, and what happens. */
@Command(name = EventsCommand.NAME, sortOptions = false, description = {
    "Print the last events of all nodes: phases, flushes, restarts, losses, with their causes (docs/messages.md).",
    "A daemon keeps its last " + Limits.MAX_EVENTS + "; those of daemons that are gone are gone with them."})
final class EventsCommand implements Callable<Integer> {
  static final String NAME = "events";
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Map<String, String> environment;

  @Mixin
  private SocketOption socket;

  @Option(names = {"-f", "--follow"}, description = "Go on with events as they happen, until Ctrl-C.")
  private boolean follow;

  @Option(names = {"-n", "--last"}, paramLabel = "N", defaultValue = "20",
      description = "How many (${DEFAULT-VALUE}); 0 with --follow for none that are past.")
  private int last;

  @Option(names = "--json", description = "Print each as a JSON object on a line of its own (docs/json.md).")
  private boolean json;

  @Spec
  private CommandSpec spec;

  EventsCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (last < (follow ? 0 : 1) || last > Limits.MAX_EVENTS) {
      throw new ScrException(Fault.BAD_REQUEST,
          "--last " + last + ": expected " + (follow ? 0 : 1) + " to " + Limits.MAX_EVENTS);
    }
    Terminal terminal = Terminal.of(environment);
    EventReader reader = new EventReader(socket, environment);
    List<JsonObject> events = reader.last(Math.max(1, last));
    print(last == 0 ? List.of() : events, terminal);
    while (follow) {
      Thread.sleep(PAUSE);                                // polls daemons, for somebody who looks on
      print(reader.next(), terminal);
    }
    return 0;
  }

  private void print(List<JsonObject> events, Terminal terminal) {
    PrintWriter out = spec.commandLine().getOut();
    for (JsonObject event : events) {
      if (json) {
        out.println(JsonVersion.of(event).encode());
      } else if (terminal.colours()) {
        System.out.println(EventLine.of(event, ZoneId.systemDefault()).coloured());   // past the writer: see there
      } else {
        out.println(Names.printable(EventLine.of(event, ZoneId.systemDefault()).plain()));
      }
    }
    System.out.flush();
    out.flush();
  }
}
