package io.vertxscr.cli.offline;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.JsonVersion;
import io.vertxscr.explain.Diagnosis;
import io.vertxscr.explain.Evidence;
import io.vertxscr.model.FailureHistory;
import io.vertxscr.model.Names;
import io.vertxscr.prefix.metadata.FailuresFileStore;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.EvidenceReader;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code scr explain}: why a dataset can or cannot be restarted from; or the optimal checkpoint interval. */
@Command(name = "explain", sortOptions = false, description = {
    "Say why a dataset is valid or not: missing ranks, files or redundancy sets, the further losses that it tolerates,"
        + " remedies. Reads the prefix directory and the caches of this machine.",
    "With the word 'interval': the numbers behind SCR_CHECKPOINT_OPTIMAL, as measured by the runs of this prefix"
        + " directory.",
    "Exit code 1 if it cannot be had from what was looked at."})
final class ExplainCommand implements Callable<Integer> {
  private final Map<String, String> environment;

  @Parameters(paramLabel = "DATASET", description = "Its name or number; or 'interval'.")
  private String dataset;

  @Mixin
  private PrefixOption prefix;

  @Mixin
  private CachesOption caches;

  @Option(names = "--json", description = "Print it as JSON.")
  private boolean json;

  @Spec
  private CommandSpec spec;

  ExplainCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    return dataset.equals("interval") ? interval() : dataset();
  }

  private int interval() {
    FailureHistory history = FailuresFileStore.read(prefix.paths(environment));
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(JsonVersion.of(IntervalPage.json(history)).encodePrettily());
    } else {
      IntervalPage.lines(history).forEach(out::println);
    }
    return 0;
  }

  private int dataset() {
    PrefixPaths paths = prefix.paths(environment);
    var reader = new EvidenceReader(paths, PrefixOption.index(paths), PrefixOption.flushFile(paths, "scr explain"),
        caches.nodesIfAny(environment));
    Evidence seen = reader.read(dataset);
    Diagnosis diagnosis = Diagnosis.of(seen);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(JsonVersion.of(json(seen, diagnosis)).encodePrettily());
    } else {
      ExplainPage.lines(seen, diagnosis).stream().map(Names::printable).forEach(out::println);
    }
    reader.remarks().forEach(remark -> spec.commandLine().getErr().println("scr: " + Names.printable(remark)));
    return switch (diagnosis.verdict()) {
      case LOST, DAMAGED, REPLACED -> OfflineCommands.WRONG;
      case PUBLISHED, SCAVENGED, IN_CACHES -> 0;
    };
  }

  private static JsonObject json(Evidence seen, Diagnosis diagnosis) {
    JsonArray lost = new JsonArray();
    diagnosis.lost().forEach((rank, why) -> lost.add(new JsonObject().put("rank", rank).put("why", why)));
    return new JsonObject().put("id", seen.dataset().id()).put("name", seen.dataset().name())
        .put("ranks", seen.worldRanks()).put("verdict", diagnosis.verdict().name())
        .put("reasons", new JsonArray(diagnosis.reasons())).put("lost", lost)
        .put("survivesLossOfNodes", diagnosis.risk().anyNodes())
        .put("fatal", new JsonArray(diagnosis.risk().fatal().stream().map(JsonArray::new).toList()))
        .put("next", new JsonArray(diagnosis.next()));
  }
}
