package io.vertxscr.scavenge;

import io.vertxscr.explain.Diagnosis;
import io.vertxscr.explain.Evidence;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Publication;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The datasets in the caches of some nodes, and whether these caches alone can restore them.
 *
 * @param parts by dataset, then by node
 * @param damage of filemaps and files, in sentences
 */
public record CacheInspection(List<CachedPart> parts, List<String> damage) {
  public CacheInspection {
    parts = List.copyOf(parts);
    damage = List.copyOf(damage);
  }

  /**
   * A node's part of a dataset.
   *
   * @param ranks whose files are there; the record may name more
   * @param flush as its daemon has recorded it, or as the prefix directory shows
   * @param diagnosis of the whole dataset; the same for all its parts
   */
  public record CachedPart(
      String node, DatasetRecord record, List<Integer> ranks, FlushState flush, Diagnosis diagnosis) {
    public DatasetDescriptor dataset() {
      return record.descriptor();
    }

    /** Of the files that are there. */
    public long bytes() {
      return record.ranks().stream().map(rank -> rank.files()).filter(files -> ranks.contains(files.rank()))
          .mapToLong(RankFiles::bytes).sum();
    }
  }

  /** Dataset and node of a record. */
  private record NodeRecord(NodeCache node, DatasetRecord record) {
    /** Datasets of two histories may have one id. */
    String identity() {
      return record.descriptor().id() + "/" + record.descriptor().createdUs();
    }
  }

  /** One part for each dataset. */
  public List<CachedPart> datasets() {
    Map<String, CachedPart> first = new LinkedHashMap<>();
    parts.forEach(part -> first.putIfAbsent(part.dataset().id() + "/" + part.dataset().createdUs(), part));
    return List.copyOf(first.values());
  }

  /**
   * Looks at the caches, and at the prefix directories of their datasets where those can be read.
   *
   * @param indexOf index of a prefix directory
   * @throws ScrException IO
   */
  public static CacheInspection of(List<NodeCache> nodes, Function<PrefixPaths, PrefixIndex> indexOf) {
    List<String> damage = new ArrayList<>();
    nodes.forEach(node -> damage.addAll(node.problems()));
    List<Inventory> inventories = nodes.stream().map(node -> node.inventory(damage)).toList();
    List<NodeRecord> held = nodes.stream()
        .flatMap(node -> node.datasets().stream().map(record -> new NodeRecord(node, record)))
        .sorted(Comparator.comparingInt((NodeRecord one) -> one.record().descriptor().id())
            .thenComparing(NodeRecord::identity).thenComparing(one -> one.node().node())).toList();
    Map<String, Diagnosis> diagnoses = new LinkedHashMap<>();
    held.forEach(one -> diagnoses.computeIfAbsent(one.identity(), _ -> diagnose(one.record(), inventories)));
    return new CacheInspection(held.stream().map(one -> new CachedPart(one.node().node(), one.record(),
        there(one, inventories), flush(one, indexOf), diagnoses.get(one.identity()))).toList(), damage);
  }

  private static List<Integer> there(NodeRecord held, List<Inventory> inventories) {
    return inventories.stream().filter(inventory -> inventory.node().equals(held.node().node()))
        .flatMap(inventory -> inventory.datasets().stream())
        .filter(dataset -> dataset.key().equals(held.record().key()))
        .flatMap(dataset -> dataset.ranks().stream()).filter(Inventory.Held::files).map(Inventory.Held::rank).toList();
  }

  private static Diagnosis diagnose(DatasetRecord record, List<Inventory> inventories) {
    return Diagnosis.of(new Evidence(record.descriptor(), record.origin().ranks(),
        new Evidence.InPrefix.Absent(false), Optional.empty(), inventories, Optional.empty()));
  }

  /**
   * Daemons that have ended may not have recorded the success of their last flush. The prefix directory, if available,
   * is authoritative.
   */
  private static FlushState flush(NodeRecord held, Function<PrefixPaths, PrefixIndex> indexOf) {
    DatasetRecord record = held.record();
    if (record.flush() != FlushState.WANTED) {
      return record.flush();
    }
    try {
      var paths = new PrefixPaths(held.node().control().getFileSystem().getPath(record.origin().prefix()));
      PrefixIndex index = indexOf.apply(paths);
      boolean done = index.read().index().find(record.descriptor().id())
          .filter(entry -> entry.complete() && entry.failed().isEmpty())
          .filter(entry -> entry.descriptor().sameAs(record.descriptor())).isPresent()
          && new Publication(paths, index).isComplete(record.descriptor().id());
      return done ? FlushState.DONE : FlushState.WANTED;
    } catch (ScrException _) {
      return record.flush();                              // the caches can be looked at also where the prefix cannot
    }
  }
}
