package io.vertxscr.cli.offline;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.Humane;
import io.vertxscr.cli.text.TextTable;
import io.vertxscr.explain.Diagnosis;
import io.vertxscr.explain.Evidence;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.NodeCache;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code scr inspect}: datasets in the caches of this machine, and whether they can be restored. */
@Command(name = "inspect", sortOptions = false, description = {
    "Print the datasets in the caches of this machine, and whether they can be restored; with daemons or without.",
    "Exit code 1 if files are missing or of another size, or a filemap is damaged."})
final class InspectCommand implements Callable<Integer> {
  private final Map<String, String> environment;

  @Mixin
  private CachesOption caches;

  @Option(names = "--json", description = "Print it as JSON.")
  private boolean json;

  @Spec
  private CommandSpec spec;

  /** A dataset on one node. */
  private record Held(NodeCache node, DatasetRecord record) {
    List<Integer> ranks() {
      return record.ranks().stream().map(rank -> rank.files().rank()).toList();
    }

    long bytes() {
      return record.ranks().stream().map(rank -> rank.files()).mapToLong(RankFiles::bytes).sum();
    }

    /** Datasets of two histories may have one id. */
    String identity() {
      return record.descriptor().id() + "/" + record.descriptor().createdUs();
    }
  }

  InspectCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    List<NodeCache> nodes = caches.nodes(environment);
    List<String> damage = new ArrayList<>();
    nodes.forEach(node -> damage.addAll(node.problems()));
    List<Inventory> inventories = nodes.stream().map(node -> node.inventory(damage)).toList();
    List<Held> held = nodes.stream()
        .flatMap(node -> node.datasets().stream().map(record -> new Held(node, record)))
        .sorted(Comparator.comparingInt((Held one) -> one.record().descriptor().id())
            .thenComparing(Held::identity).thenComparing(one -> one.node().node())).toList();
    Map<String, Diagnosis> diagnoses = new LinkedHashMap<>();
    held.forEach(one -> diagnoses.computeIfAbsent(one.identity(), _ -> diagnose(one.record(), inventories)));
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(json(held, diagnoses, damage).encodePrettily());
    } else if (held.isEmpty()) {
      out.println("the caches of " + String.join(", ", nodes.stream().map(NodeCache::node).toList()) + " are empty");
    } else {
      table(held, diagnoses).forEach(out::println);
    }
    damage.forEach(problem -> spec.commandLine().getErr().println("scr: " + problem));
    return damage.isEmpty() ? 0 : OfflineCommands.WRONG;
  }

  /**
   * Daemons that have ended may not have recorded the success of their last flush. The prefix directory, if available,
   * is authoritative.
   */
  private static FlushState flush(DatasetRecord record) {
    if (record.flush() != FlushState.WANTED) {
      return record.flush();
    }
    try {
      var paths = new PrefixPaths(Path.of(record.origin().prefix()));
      PrefixIndex index = PrefixOption.index(paths);
      boolean done = index.read().index().find(record.descriptor().id())
          .filter(entry -> entry.complete() && entry.failed().isEmpty())
          .filter(entry -> entry.descriptor().sameAs(record.descriptor())).isPresent()
          && new Publication(paths, index).isComplete(record.descriptor().id());
      return done ? FlushState.DONE : FlushState.WANTED;
    } catch (ScrException _) {
      return record.flush();                              // the caches can be looked at also where the prefix cannot
    }
  }

  private static Diagnosis diagnose(DatasetRecord record, List<Inventory> inventories) {
    return Diagnosis.of(new Evidence(record.descriptor(), record.origin().ranks(),
        new Evidence.InPrefix.Absent(false), Optional.empty(), inventories, Optional.empty()));
  }

  private static List<String> table(List<Held> held, Map<String, Diagnosis> diagnoses) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("id", "kind", "node", "ranks", "size", "scheme", "flush", "name", "prefix"));
    for (Held one : held) {
      DatasetRecord record = one.record();
      rows.add(List.of(Integer.toString(record.descriptor().id()),
          IndexListing.kind(record.descriptor().flags()), one.node().node(), Humane.ranges(one.ranks()),
          Humane.bytes(one.bytes()), record.scheme().name(),
          flush(record).name().toLowerCase(Locale.ROOT).replace('_', ' '), record.descriptor().name(),
          record.origin().prefix()));
    }
    List<String> lines = new ArrayList<>(TextTable.lines(TextTable.withoutSameLast(rows), Set.of(0, 4)));
    lines.add("");
    Set<String> said = new LinkedHashSet<>();
    for (Held one : held) {
      if (said.add(one.identity())) {
        lines.add("dataset " + one.record().descriptor().id() + " '" + one.record().descriptor().name() + "': "
            + sentence(diagnoses.get(one.identity()), one.record().origin().ranks()));
      }
    }
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

  private static JsonObject json(List<Held> held, Map<String, Diagnosis> diagnoses, List<String> damage) {
    JsonArray datasets = new JsonArray();
    for (Held one : held) {
      DatasetRecord record = one.record();
      datasets.add(new JsonObject().put("id", record.descriptor().id()).put("name", record.descriptor().name())
          .put("prefix", record.origin().prefix())
          .put("kind", IndexListing.kind(record.descriptor().flags())).put("node", one.node().node())
          .put("ranks", new JsonArray(one.ranks())).put("bytes", one.bytes()).put("scheme", record.scheme().name())
          .put("flush", flush(record).name()).put("worldRanks", record.origin().ranks())
          .put("restorable", diagnoses.get(one.identity()).lost().isEmpty())
          .put("lostRanks", new JsonArray(List.copyOf(diagnoses.get(one.identity()).lost().keySet()))));
    }
    return new JsonObject().put("datasets", datasets).put("damage", new JsonArray(damage));
  }
}
