package io.vertxscr.cli;

import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.daemon.SocketOption;
import io.vertxscr.cli.text.JsonVersion;
import io.vertxscr.model.DrainState;
import io.vertxscr.model.Names;
import io.vertxscr.protocol.app.DrainRequest;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code scr drain}: copies what only one node has to others, so that it can be shut down. */
@Command(name = DrainCommand.NAME, sortOptions = false, description = {
    "Copy what only one node has to others, so that it can be shut down. It takes no run and no data of others from"
        + " then on, until --cancel or until its daemon ends.",
    "Exit code 0: it is drained, its loss loses nothing and weakens no protection. 1: it is not, and why."})
final class DrainCommand implements Callable<Integer> {
  static final String NAME = "drain";
  private static final long POLL_MS = 1_000;

  private final Map<String, String> environment;

  @Spec
  private CommandSpec spec;

  @Parameters(paramLabel = "NODE", description = "Name of the node, as scr status prints it.")
  private String node;

  @Option(names = "--cancel", description = "Take it back: the node takes runs and data again. What was copied stays.")
  private boolean cancel;

  @Option(names = "--after-run", description = "Where a run has ranks on the node, wait for its end and drain then.")
  private boolean afterRun;

  @Option(names = "--lost-for-good", description = "Nodes that are away will not return: what the caches cannot give"
      + " back without them does not count.")
  private boolean lostForGood;

  @Option(names = "--no-wait", description = "Return as soon as it has begun; scr status says how far it is.")
  private boolean noWait;

  @Mixin
  private SocketOption socket;

  @Option(names = "--json", description = "Print the state at the end as JSON (docs/json.md).")
  private boolean json;

  DrainCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (cancel && (afterRun || noWait || lostForGood)) {
      throw new ParameterException(
          spec.commandLine(), "--cancel goes with none of --after-run, --lost-for-good and --no-wait");
    }
    PrintWriter out = spec.commandLine().getOut();
    DrainState wanted = cancel ? DrainState.NONE : DrainState.DRAINED;
    JsonObject now = ask(cancel ? DrainRequest.cancel(node) : DrainRequest.begin(node, afterRun));
    String said = "";
    while (!cancel && !noWait && goesOn(now)) {
      String line = DrainLines.of(now);
      if (!json && !line.equals(said)) {
        out.println(Names.printable(line));
        out.flush();
      }
      said = line;
      Thread.sleep(POLL_MS);                              // polls daemons, for somebody who looks on
      now = ask(DrainRequest.look(node));
    }
    boolean isDone = state(now) == wanted || lostForGood && isForLostOnly(now);
    String last = cancel && isDone ? node + ": takes runs and data again" : isDone && state(now) != wanted
        ? node + ": drained; lost for good: datasets " + now.getJsonArray("lost").getList() : DrainLines.of(now);
    out.println(json ? JsonVersion.of(now).encodePrettily() : Names.printable(last));
    out.flush();
    return isDone || noWait && goesOn(now) ? 0 : ScrCommand.FAILED;
  }

  private static boolean isForLostOnly(JsonObject now) {
    return state(now) == DrainState.STOPPED && now.containsKey("lost");
  }

  private static DrainState state(JsonObject now) {
    return DrainState.valueOf(now.getString("state"));
  }

  private static boolean goesOn(JsonObject now) {
    return state(now) == DrainState.DRAINING || state(now) == DrainState.WAITING;
  }

  private JsonObject ask(DrainRequest request) throws IOException, InterruptedException {
    return socket.askAny(environment, client -> client.drain(request));
  }
}
