package io.vertxscr.cli;

import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.daemon.SocketOption;
import io.vertxscr.client.ScrClient;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.OperatorRequest.OperatorVerb;
import io.vertxscr.protocol.app.OperatorRequest;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The dataset of the caches that a command is about, and the daemons that know it. */
final class CachedDataset {
  @ArgGroup(multiplicity = "1")
  private Which which;

  @Mixin
  private SocketOption socket;

  /** By what the user calls it. */
  private static final class Which {
    @Parameters(paramLabel = "DATASET", description = "Its number or name, as scr status prints them.")
    private String any;

    @Option(names = "--id", paramLabel = "ID", description = "Its number, where another one has that as its name.")
    private Integer id;

    private boolean is(JsonObject dataset) {
      Integer number = dataset.getInteger("dataset");
      return any == null ? number.equals(id) : dataset.getString("name").equals(any) || number.toString().equals(any);
    }

    @Override
    public String toString() {
      return any == null ? String.valueOf(id) : any;
    }
  }

  /** Has the daemons do something with it. @param found what {@link #in} has found */
  void operate(Map<String, String> environment, OperatorVerb what, JsonObject found)
      throws IOException, InterruptedException {
    OperatorRequest request = new OperatorRequest(what, found.getInteger("dataset"));
    socket.askAny(environment, client -> client.operate(request));
  }

  /** What the daemons say now. */
  StatusView look(Map<String, String> environment) throws IOException, InterruptedException {
    return new StatusView(List.of(socket.askAny(environment, ScrClient::status)), Set.of());
  }

  /** @throws ScrException NO_SUCH_DATASET; BAD_REQUEST where several have that name or number */
  JsonObject in(StatusView seen) {
    List<JsonObject> found = seen.datasets().stream().filter(which::is).toList();
    if (found.isEmpty()) {
      throw new ScrException(Fault.NO_SUCH_DATASET, "the caches have no dataset '" + which + "': scr status --all"
          + " prints all that they have");
    }
    if (found.size() > 1) {
      String all = found.stream().map(dataset -> dataset.getInteger("dataset") + " of " + dataset.getString("prefix"))
          .collect(Collectors.joining(", "));
      throw new ScrException(
          Fault.BAD_REQUEST, "'" + which + "' means several datasets: give the number of one by --id: " + all);
    }
    return found.getFirst();
  }
}
