package io.vertxscr.cli;

import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.OperatorRequest.OperatorVerb;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code scr drop}: a dataset that nobody needs leaves the caches. */
@Command(name = DropCommand.NAME, sortOptions = false, description =
    "Delete a dataset from the caches of all nodes, also of those that are away, and take it out of the index of its"
    + " prefix directory; its files there stay. Not while a run is on in that directory.")
final class DropCommand implements Callable<Integer> {
  static final String NAME = "drop";

  private final Map<String, String> environment;

  @Mixin
  private CachedDataset dataset;

  @Option(names = "--unflushed",
      description = "Also where it is in no prefix directory: what only the caches have of it is gone for good then.")
  private boolean unflushed;

  @Spec
  private CommandSpec spec;

  DropCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    JsonObject found = dataset.in(dataset.look(environment));
    if (!unflushed && !StatusAttention.isFlushed(found)) {
      throw new ScrException(Fault.WRONG_STATE, StatusAttention.title(found) + " is in no prefix directory: with"
          + " --unflushed it is deleted all the same; scr flush " + found.getInteger("dataset") + " brings it to "
          + found.getString("prefix"));
    }
    dataset.operate(environment, OperatorVerb.DROP, found);
    spec.commandLine().getOut().println(Names.printable(StatusAttention.title(found) + " is dropped"
        + (StatusAttention.isFlushed(found) ? "; restarts do not see its files in " + found.getString("prefix")
            + " any more, scr index --add " + found.getInteger("dataset") + " would list them again" : "")));
    return 0;
  }
}
