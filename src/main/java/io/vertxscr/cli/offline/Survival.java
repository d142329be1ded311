package io.vertxscr.cli.offline;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.offline.MeasuredRates.Repair;
import io.vertxscr.cli.text.Humane;
import io.vertxscr.cli.text.TextTable;
import io.vertxscr.explain.SurvivalOdds.NodeTimes;
import io.vertxscr.explain.SurvivalOdds.SchemeOdds;
import io.vertxscr.explain.SurvivalOdds;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.format.Fields;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.FailureHistory.Level;
import io.vertxscr.model.FailureHistory;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Plural;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Answers {@code scr explain survival}: how likely it is to lose more nodes than a scheme holds. The sets are those of
 * the newest checkpoint in the caches, the times those of options, else measured ones.
 *
 * @param sets number of different sets of nodes, by their number of nodes
 * @param times in hours
 * @param from where the sets, the MTBF and the time of repair come from, in words
 */
record Survival(SortedMap<Integer, Long> sets, Redundancy used, NodeTimes times, Provenance from) {
  /** Assumed from a loss to the end of protection where none was measured. */
  private static final double ASSUMED_REPAIR_HOURS = 1;
  private static final double SECONDS_PER_HOUR = 3600;
  private static final double US_PER_HOUR = SECONDS_PER_HOUR * 1e6;
  private static final double MINUTES_PER_HOUR = 60;
  /** Without any event in a time, at most three are likely in such a time, with a confidence of 95 %. */
  private static final double RULE_OF_THREE = 3;
  private static final int VERSION = 1;

  record Provenance(String sets, String mtbf, String repair) {}

  /** NodeTimes that the user has given. */
  record Given(OptionalDouble mtbfHours, OptionalDouble repairMinutes) {}

  /**
   * From what was seen.
   *
   * @throws ScrException NO_SUCH_DATASET where no cache has a checkpoint, whose sets are needed; BAD_REQUEST where
   *     nothing is known about failures of nodes
   */
  static Survival of(SeenCaches seen, FailureHistory history, Optional<Repair> measured, Given given) {
    Inventory.Dataset newest = CacheSnapshot.of(seen.caches()).copies()
        .filter(dataset -> dataset.descriptor().flags().checkpoint())
        .max(Comparator.comparing(dataset -> dataset.descriptor(), DatasetDescriptor.BY_AGE))
        .orElseThrow(() -> new ScrException(Fault.NO_SUCH_DATASET,
            "no checkpoint is in the caches, whose redundancy sets are needed (" + seen.header() + ")"));
    SortedMap<Integer, Long> sets = sets(seen.caches(), newest.key());
    DatasetDescriptor dataset = newest.descriptor();
    String where = sets.values().stream().mapToLong(count -> count).sum() + " of " + Humane.ranges(sets.keySet())
        + " nodes, those of dataset " + dataset.id() + " '" + dataset.name() + "' (" + seen.header() + ")";
    int nodes = Math.max(1, seen.nodes().size());
    Mtbf mtbf = mtbf(given.mtbfHours(), history, nodes);
    double repair = given.repairMinutes().isPresent() ? given.repairMinutes().getAsDouble() / MINUTES_PER_HOUR
        : measured.map(one -> Math.max(1, one.took().toSeconds()) / SECONDS_PER_HOUR).orElse(ASSUMED_REPAIR_HOURS);
    return new Survival(sets, newest.redundancy().how().redundancy(), new NodeTimes(mtbf.hours(), repair),
        new Provenance(where, mtbf.from(), given.repairMinutes().isPresent() ? "as given"
            : measured.map(one -> "from the loss of a node to the end of its rebuild, "
                + Fields.time(one.time()) + ", in the log").orElse("assumed: the log of the prefix directory has no"
                + " rebuild after a loss; --repair gives it")));
  }

  private static SortedMap<Integer, Long> sets(List<Inventory> caches, DatasetKey dataset) {
    SortedMap<Integer, Long> sizes = new TreeMap<>();
    CacheSnapshot.of(caches).setsOfNodes(dataset).forEach(nodes -> sizes.merge(nodes.size(), 1L, Long::sum));
    return sizes;
  }

  private record Mtbf(double hours, String from) {}

  private static Mtbf mtbf(OptionalDouble given, FailureHistory history, int nodes) {
    if (given.isPresent()) {
      return new Mtbf(given.getAsDouble(), "as given");
    }
    long losses = history.of(Level.NODE).failures() + history.of(Level.PREFIX).failures();
    double hours = history.computedUs() / US_PER_HOUR;
    if (!(hours > 0)) {
      throw new ScrException(Fault.BAD_REQUEST, "nothing is known about failures of nodes: no run of this prefix"
          + " directory was measured; --mtbf gives the mean time between failures of one node, in hours");
    }
    String runs = String.format(Locale.ROOT, " in %.1f h of runs, on %s", hours, Plural.of(nodes, "node"));
    return losses > 0 ? new Mtbf(nodes * hours / losses, "seen: " + losses + (losses == 1 ? " loss" : " losses") + runs)
        : new Mtbf(nodes * hours / RULE_OF_THREE, "at least, with 95 % confidence: no loss was seen" + runs);
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("sets    " + from.sets());
    lines.add("mtbf    " + number(times.mtbf()) + " h of a node, " + from.mtbf());
    lines.add("repair  " + number(times.repair() * MINUTES_PER_HOUR) + " min, " + from.repair());
    lines.add("");
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("scheme", "tolerates", "more in a day", "once in days", "cache besides", ""));
    for (SchemeOdds row : odds().rows()) {
      rows.add(List.of(row.scheme().name(), "" + row.failures(), String.format(Locale.ROOT, "%.1e", row.perDay()),
          number(1 / -Math.log1p(-Math.min(row.perDay(), 1 - 1e-16))),
          Math.round(row.extra() * 100) + " %", row.inUse() ? "in use" : ""));
    }
    lines.addAll(TextTable.lines(rows, Set.of(1, 2, 3, 4)));
    lines.add("");
    lines.add("of losses that come one by one; a power supply or switch that takes several nodes is not in it"
        + " (docs/odds.md)");
    return lines;
  }

  private static String number(double value) {
    return value >= 1e6 || value < 0.01 ? String.format(Locale.ROOT, "%.1e", value)
        : String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.0f", value);
  }

  private SurvivalOdds odds() {
    return SurvivalOdds.of(sets, used, times);
  }

  JsonObject json() {
    JsonArray schemes = new JsonArray();
    odds().rows().forEach(row -> schemes.add(new JsonObject().put("scheme", row.scheme().name())
        .put("failures", row.failures()).put("inUse", row.inUse()).put("probabilityPerDay", row.perDay())
        .put("extraBytesPerByte", row.extra())));
    JsonArray bySize = new JsonArray();
    sets.forEach((members, count) -> bySize.add(new JsonObject().put("nodes", members).put("count", count)));
    return new JsonObject().put("version", VERSION).put("sets", bySize).put("setsFrom", from.sets())
        .put("mtbfHours", times.mtbf()).put("mtbfFrom", from.mtbf())
        .put("repairHours", times.repair()).put("repairFrom", from.repair()).put("schemes", schemes);
  }
}
