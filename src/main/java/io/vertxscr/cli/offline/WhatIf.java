package io.vertxscr.cli.offline;

import io.vertxscr.cli.offline.WhatIfPage.Group;
import io.vertxscr.cli.offline.WhatIfPage.LossAnswer;
import io.vertxscr.explain.LossReport.Scene;
import io.vertxscr.explain.LossReport;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Exposure.Losses;
import io.vertxscr.flow.restart.Exposure.Pairs;
import io.vertxscr.flow.restart.Exposure;
import io.vertxscr.flow.restart.RestartSources;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.launch.Hostlist;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.prefix.metadata.LogFile;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.service.restart.PrefixFetcher.Listing;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Answers {@code scr explain --if-lost}: what a restart would find after a loss of nodes. Reads the prefix directory as
 * the leader of a run does that restarts.
 */
record WhatIf(SeenCaches seen, long nowUs) {
  private static final String ANY = "any";
  private static final String ANY_TWO = "any-two";

  /**
   * The answer.
   *
   * @param losses names of nodes as for {@code scr run --hosts}; {@code any}, {@code any-two}
   * @throws io.vertxscr.model.ScrException BAD_REQUEST for an unknown node; IO
   */
  LossAnswer answer(String losses) {
    Scene scene = scene();
    Exposure exposure = scene.exposure();
    if (losses.equals(ANY) || losses.equals(ANY_TWO)) {
      boolean two = losses.equals(ANY_TWO);
      Pairs all = two ? exposure.ofAnyTwo() : new Pairs(exposure.ofAnyNode(), 0);
      long of = all.losses().stream().mapToLong(Losses::count).sum();
      return new LossAnswer(
          two ? "if any two nodes are lost with their storage" : "if any one node is lost with its storage",
          seen.header(), all.losses().stream()
              .map(group -> new Group(scene.report(group.outcome()), group.count(), of, group.examples())).toList(),
          all.leftOut());
    }
    Set<String> nodes = new TreeSet<>(Hostlist.expand(losses));
    LossReport report = scene.report(exposure.ifLost(nodes));
    return new LossAnswer("if " + String.join(", ", nodes) + (nodes.size() == 1 ? " is lost with its storage"
        : " are lost with their storage"), seen.header(), List.of(new Group(report, 1, 1, List.of(List.copyOf(nodes)))),
        0);
  }

  private Scene scene() {
    PrefixPaths paths = seen.paths();
    PrefixIndex prefixIndex = PrefixOption.index(paths);
    Index index = prefixIndex.read().index();
    RestartSources sources = new RestartSources(seen.caches(), paths.prefix().toString(), ranks(),
        Listing.of(index, new Publication(paths, prefixIndex).datasets()).restart(),
        PrefixOption.restarts(paths).read(), List.of());
    Set<DatasetKey> published = index.entries().stream().filter(entry -> entry.complete() && entry.failed().isEmpty())
        .map(entry -> entry.descriptor().key()).collect(Collectors.toCollection(HashSet::new));
    return new Scene(Exposure.of(sources, seen.nodes()), published::contains,
        MeasuredRates.of(new LogFile(paths).read()).rates(), nowUs);
  }

  /** Of the run, as far as it is known; else of the newest checkpoint in the caches. */
  private int ranks() {
    return seen.ranks().orElseGet(() -> CacheSnapshot.of(seen.caches()).copies()
        .filter(dataset -> dataset.descriptor().flags().checkpoint())
        .max(Comparator.comparing(dataset -> dataset.descriptor(), DatasetDescriptor.BY_AGE))
        .map(dataset -> dataset.origin().ranks()).orElse(1));
  }
}
