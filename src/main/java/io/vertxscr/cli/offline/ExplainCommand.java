package io.vertxscr.cli.offline;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.JsonVersion;
import io.vertxscr.explain.Diagnosis;
import io.vertxscr.explain.Evidence;
import io.vertxscr.launch.Hostlist;
import io.vertxscr.model.FailureHistory;
import io.vertxscr.model.Names;
import io.vertxscr.prefix.metadata.FailuresFileStore;
import io.vertxscr.prefix.metadata.LogFile;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.EvidenceReader;
import io.vertxscr.service.advice.IntervalJson;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code scr explain}: why a dataset can or cannot be restarted from, what a loss of nodes would cost. */
@Command(name = ExplainCommand.NAME, sortOptions = false, description = {
    "Say why a dataset is valid or not: missing ranks, files or redundancy sets, the further losses that it tolerates,"
        + " remedies. Reads the prefix directory, and asks the daemons of this job; without any, reads the caches of"
        + " this machine.",
    "With the word 'interval': the numbers behind SCR_CHECKPOINT_OPTIMAL, as measured by the runs of this prefix"
        + " directory.",
    "With --if-lost: what a restart would use if these nodes were lost with their storage, the work that would be lost,"
        + " and the time to rebuild. Asks the daemons of this job; without any, reads the caches of this machine.",
    "With the word 'survival': how likely it is that more nodes are lost than the redundancy holds, for all schemes.",
    "Without --prefix and SCR_PREFIX, and where no dataset belongs to the working directory, it is about the prefix"
        + " directory of the datasets in the caches; where these have several, --prefix is asked for.",
    "Exit code 1 if it cannot be had from what was looked at; with --if-lost, if a checkpoint or output that is safe"
        + " now would be lost, or no checkpoint is there."})
final class ExplainCommand implements Callable<Integer> {
  static final String NAME = "explain";
  private static final double MOST = 1e9;

  private final Map<String, String> environment;

  @Parameters(paramLabel = "DATASET", arity = "0..1",
      description = "Its name or number; or 'interval', or 'survival'.")
  private String dataset;

  @Option(names = "--if-lost", paramLabel = "NODES",
      description = "Names of nodes, as n3,n7 or n[1-4]; or 'any' for each one, or 'any-two' for each pair.")
  private String ifLost;

  @Mixin
  private PrefixOption prefix;

  @Mixin
  private CachesOption caches;

  @Option(names = "--socket", paramLabel = "PATH",
      description = "The daemon to ask; else those of this user and job.")
  private Path socket;

  @Option(names = "--mtbf", paramLabel = "HOURS",
      description = "For 'survival': mean time between failures of one node; else as the runs have seen it.")
  private Double mtbfHours;

  @Option(names = "--repair", paramLabel = "MINUTES",
      description = "For 'survival': from a loss until all is protected again; else as it was measured last, or 60.")
  private Double repairMinutes;

  @Option(names = "--json", description = "Print it as JSON.")
  private boolean json;

  @Spec
  private CommandSpec spec;

  ExplainCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    if ((dataset == null) == (ifLost == null)) {
      throw new ParameterException(spec.commandLine(),
          "a dataset, 'interval', 'survival', or --if-lost is wanted, one of them");
    }
    positive("--mtbf", mtbfHours);
    positive("--repair", repairMinutes);
    return ifLost != null ? losses() : switch (dataset) {
      case "interval" -> interval();
      case "survival" -> survival();
      default -> dataset();
    };
  }

  private void positive(String option, Double value) {
    if (value != null && !(value > 0 && value < MOST)) {
      throw new ParameterException(spec.commandLine(), option + " " + value + ": more than 0 is expected");
    }
  }

  private SeenCaches seen() {
    return SeenCaches.look(environment, prefix.choice(environment), caches, Optional.ofNullable(socket));
  }

  private void remark(List<String> remarks) {
    remarks.forEach(remark -> spec.commandLine().getErr().println("scr: " + Names.printable(remark)));
  }

  private int losses() {
    if (Hostlist.expand(ifLost).isEmpty()) {
      throw new ParameterException(spec.commandLine(), "--if-lost names no node");
    }
    SeenCaches seen = seen();
    remark(seen.remarks());
    WhatIfPage.LossAnswer answer = new WhatIf(seen, System.currentTimeMillis() * 1000).answer(ifLost);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(WhatIfPage.json(answer, List.copyOf(seen.nodes())).encodePrettily());
    } else {
      WhatIfPage.lines(answer).stream().map(Names::printable).forEach(out::println);
    }
    return answer.groups().stream().map(WhatIfPage.Group::report)
        .anyMatch(report -> report.costsWork() || report.restart().isEmpty()) ? OfflineCommands.WRONG : 0;
  }

  private int survival() {
    SeenCaches seen = seen();
    remark(seen.remarks());
    PrefixPaths paths = seen.paths();
    Survival survival = Survival.of(seen, FailuresFileStore.read(paths),
        MeasuredRates.of(new LogFile(paths).read()).repair(), new Survival.Given(
            mtbfHours == null ? OptionalDouble.empty() : OptionalDouble.of(mtbfHours),
            repairMinutes == null ? OptionalDouble.empty() : OptionalDouble.of(repairMinutes)));
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(survival.json().encodePrettily());
    } else {
      survival.lines().stream().map(Names::printable).forEach(out::println);
    }
    return 0;
  }

  private int interval() {
    FailureHistory history = FailuresFileStore.read(prefix.paths(environment));
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(JsonVersion.of(IntervalJson.of(history)).encodePrettily());
    } else {
      IntervalPage.lines(history).forEach(out::println);
    }
    return 0;
  }

  private int dataset() {
    SeenCaches held = seen();
    PrefixPaths paths = held.paths();
    Evidence seen = new EvidenceReader(paths, PrefixOption.index(paths), PrefixOption.flushFile(paths, "scr explain"),
        held.caches(), held.elsewhere()).read(dataset);
    Diagnosis diagnosis = Diagnosis.of(seen);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(JsonVersion.of(json(seen, diagnosis)).encodePrettily());
    } else {
      ExplainPage.lines(seen, diagnosis, held.header()).stream().map(Names::printable).forEach(out::println);
    }
    remark(held.remarks());
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
