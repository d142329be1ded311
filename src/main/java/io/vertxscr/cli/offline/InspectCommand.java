package io.vertxscr.cli.offline;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.Humane;
import io.vertxscr.cli.text.JsonVersion;
import io.vertxscr.cli.text.TextTable;
import io.vertxscr.explain.Diagnosis;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Names;
import io.vertxscr.scavenge.CacheInspection.CachedPart;
import io.vertxscr.scavenge.CacheInspection;
import io.vertxscr.scavenge.EntrySentences;
import io.vertxscr.scavenge.NodeCache;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code scr inspect}: datasets in the caches of this machine, and whether they can be restored. */
@Command(name = InspectCommand.NAME, sortOptions = false, description = {
    "Print the datasets in the caches of this machine, and whether they can be restored; with daemons or without.",
    "Exit code 1 if files are missing or of another size, or a filemap is damaged."})
final class InspectCommand implements Callable<Integer> {
  static final String NAME = "inspect";

  private final Map<String, String> environment;

  @Mixin
  private CachesOption caches;

  @Option(names = "--json", description = "Print it as JSON.")
  private boolean json;

  @Spec
  private CommandSpec spec;

  InspectCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    List<NodeCache> nodes = caches.nodes(environment);
    CacheInspection seen = CacheInspection.of(nodes, PrefixOption::index);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(JsonVersion.of(json(seen)).encodePrettily());
    } else if (seen.parts().isEmpty()) {
      out.println("the caches of " + String.join(", ", nodes.stream().map(NodeCache::node).toList()) + " are empty");
    } else {
      table(seen).forEach(out::println);
    }
    seen.damage().forEach(problem -> spec.commandLine().getErr().println("scr: " + Names.printable(problem)));
    return seen.damage().isEmpty() ? 0 : OfflineCommands.WRONG;
  }

  private static List<String> table(CacheInspection seen) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("id", "kind", "node", "ranks", "size", "scheme", "flush", "name", "prefix"));
    for (CachedPart part : seen.parts()) {
      DatasetRecord record = part.record();
      rows.add(List.of(Integer.toString(part.dataset().id()), IndexListing.kind(part.dataset().flags()), part.node(),
          part.ranks().isEmpty() ? "-" : Humane.ranges(part.ranks()), Humane.bytes(part.bytes()),
          record.scheme().name(),
          part.flush().name().toLowerCase(Locale.ROOT).replace('_', ' '), part.dataset().name(),
          record.origin().prefix()));
    }
    List<String> lines = new ArrayList<>(TextTable.lines(TextTable.withoutSameLast(rows), Set.of(0, 4)));
    lines.add("");
    seen.datasets().forEach(part -> lines.add(EntrySentences.name(part.dataset()) + ": "
        + sentence(part.diagnosis(), part.record().origin().ranks())));
    return lines;
  }

  private static String sentence(Diagnosis diagnosis, int ranks) {
    if (diagnosis.lost().isEmpty()) {
      return "can be restored from these caches" + switch (diagnosis.risk().anyNodes()) {
        case 0 -> ", but not after the loss " + ExplainPage.anyOf("of", diagnosis.risk().fatal());
        case 1 -> ", also after the loss of any one node";
        default -> ", also after the loss of any two nodes";
      };
    }
    return "cannot be restored from these caches alone: " + Humane.ranks(diagnosis.lost().keySet()) + " of "
        + ranks + (diagnosis.lost().size() == 1 ? " is missing" : " are missing");
  }

  private static JsonObject json(CacheInspection seen) {
    JsonArray datasets = new JsonArray();
    for (CachedPart part : seen.parts()) {
      DatasetRecord record = part.record();
      datasets.add(new JsonObject().put("id", part.dataset().id()).put("name", part.dataset().name())
          .put("prefix", record.origin().prefix())
          .put("kind", IndexListing.kind(part.dataset().flags())).put("node", part.node())
          .put("ranks", new JsonArray(part.ranks())).put("bytes", part.bytes()).put("scheme", record.scheme().name())
          .put("flush", part.flush().name()).put("worldRanks", record.origin().ranks())
          .put("restorable", part.diagnosis().lost().isEmpty())
          .put("lostRanks", new JsonArray(List.copyOf(part.diagnosis().lost().keySet()))));
    }
    return new JsonObject().put("datasets", datasets).put("damage", new JsonArray(seen.damage()));
  }
}
