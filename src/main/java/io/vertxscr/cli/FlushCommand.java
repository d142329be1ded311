package io.vertxscr.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Names;
import io.vertxscr.protocol.app.OperatorRequest.OperatorVerb;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code scr flush}: brings a dataset of the caches to the prefix directory now. */
@Command(name = FlushCommand.NAME, sortOptions = false, description = {
    "Bring a dataset of the caches to its prefix directory now; what lost nodes held of it is rebuilt first. Not the"
        + " newest one of a run that is on, which may still be written.",
    "Exit code 0 when it is there, and listed."})
final class FlushCommand implements Callable<Integer> {
  static final String NAME = "flush";
  private static final int POLL_MS = 500;

  private final Map<String, String> environment;

  @Mixin
  private CachedDataset dataset;

  @Option(names = "--no-wait", description = "Return as soon as it has begun; scr status says how far it is.")
  private boolean noWait;

  @Spec
  private CommandSpec spec;

  FlushCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    JsonObject found = dataset.in(dataset.look(environment));
    int id = found.getInteger("dataset");
    if (!StatusAttention.isFlushed(found)) {
      dataset.operate(environment, OperatorVerb.FLUSH, found);
    }
    String title = StatusAttention.title(found);
    if (noWait) {
      say(title + " is on its way to " + found.getString("prefix"));
      return 0;
    }
    StatusView now = dataset.look(environment);
    String said = "";
    while (now.flush(id).isPresent() && !isThere(now, id)) {
      String line = FlushLines.of(new JsonArray().add(now.flush(id).get()), false).getFirst();
      if (!line.equals(said)) {
        say(line);
      }
      said = line;
      Thread.sleep(POLL_MS);                              // polls daemons, for somebody who looks on
      now = dataset.look(environment);
    }
    boolean there = isThere(now, id);
    String prefix = found.getString("prefix");
    say(title + (there ? " is in " + prefix : now.dataset(id).isPresent() ? " is not in " + prefix
        + ": scr events says why" : " has left the caches: scr index --list --prefix " + prefix + " says where to"));
    return there ? 0 : ScrCommand.FAILED;
  }

  private static boolean isThere(StatusView now, int id) {
    Optional<JsonObject> dataset = now.dataset(id);
    return dataset.filter(StatusAttention::isFlushed).isPresent();
  }

  private void say(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(Names.printable(line));
    out.flush();
  }
}
