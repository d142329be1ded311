package io.vertxscr.scavenge;

import io.vertxscr.explain.Evidence.InPrefix;
import io.vertxscr.explain.Evidence;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.format.prefix.FlushStatus.Location;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.Summary;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Plural;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.publish.Publication;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;

/** Collects the evidence of one dataset. In the prefix directory, scavenged, in caches. */
public final class EvidenceReader {
  private final PrefixPaths paths;
  private final List<Inventory> inventories;
  private final List<OtherPrefixes.CachedFor> elsewhere;
  private final Index index;
  private final Publication publication;
  private final FlushFileStore flushFile;

  /**
   * Reads the index at once, the rest of the prefix directory when asked.
   *
   * @param inventories datasets of this prefix directory in caches
   * @param elsewhere those of other ones, as far as is known
   * @throws ScrException IO
   */
  public EvidenceReader(PrefixPaths paths, PrefixIndex prefixIndex, FlushFileStore flushFile,
      List<Inventory> inventories, List<OtherPrefixes.CachedFor> elsewhere) {
    this.paths = paths;
    this.inventories = inventories;
    this.elsewhere = elsewhere;
    this.index = prefixIndex.read().index();
    this.publication = new Publication(paths, prefixIndex);
    this.flushFile = flushFile;
  }

  /** @param wanted a name or a number. @throws ScrException NO_SUCH_DATASET if nothing here speaks of it, IO */
  public Evidence read(String wanted) {
    DatasetDescriptor dataset = find(wanted);
    InPrefix prefix = inPrefix(dataset);
    Optional<DatasetScan> scan = scavenged(dataset, prefix);
    int ranks = ranks(dataset, prefix, scan);
    Optional<String> fallback = index.candidates().stream().map(Index.Entry::name)
        .filter(name -> !name.equals(dataset.name())).findFirst();
    return new Evidence(dataset, ranks, prefix, scan.map(DatasetScan::inventory), inventories, fallback);
  }

  /** Scavenged data are usable before the publication, and again after a loss of published files. */
  private Optional<DatasetScan> scavenged(DatasetDescriptor dataset, InPrefix prefix) {
    boolean whole = prefix instanceof InPrefix.Complete complete && complete.badFiles().isEmpty();
    if (whole || !DatasetScanner.isScavenged(paths, dataset.id())) {
      return Optional.empty();
    }
    DatasetScan scan = DatasetScanner.scan(paths, dataset.id(), DatasetScanner.Depth.SIZES);
    boolean repairs = scan.descriptor().sameAs(dataset);
    return prefix instanceof InPrefix.Complete && !repairs ? Optional.empty() : Optional.of(scan);
  }

  private DatasetDescriptor find(String wanted) {
    List<DatasetDescriptor> known = new ArrayList<>(index.entries().stream().map(Index.Entry::descriptor).toList());
    inventories.forEach(node -> node.datasets().forEach(held -> known.add(held.descriptor())));
    flushFile.read().entries().forEach(entry -> known.add(entry.descriptor()));
    for (int id : publication.datasets()) {
      if (DatasetScanner.isScavenged(paths, id)) {
        known.add(DatasetScanner.scan(paths, id, DatasetScanner.Depth.SIZES).descriptor());
      }
    }
    // Of two histories with one number the later one is meant.
    Predicate<DatasetDescriptor> isMeant = dataset ->
        dataset.name().equals(wanted) || wanted.equals(Integer.toString(dataset.id()));
    return known.stream().filter(isMeant)
        .max((a, b) -> Long.compare(a.createdUs(), b.createdUs()))
        .orElseThrow(() -> new ScrException(Fault.NO_SUCH_DATASET, OtherPrefixes.sentence(elsewhere, isMeant, paths)
            .orElse("neither the index nor the flush file of " + paths.prefix() + " nor the caches of "
                + Plural.of(inventories.size(), "node") + " that were looked at know a dataset '" + wanted + "'")));
  }

  private InPrefix inPrefix(DatasetDescriptor dataset) {
    OptionalInt replacedBy = index.find(dataset.id()).filter(entry -> entry.descriptor().sameAs(dataset))
        .map(Index.Entry::replacedBy).orElse(OptionalInt.empty());
    if (replacedBy.isPresent()) {
      return new InPrefix.Replaced(replacedBy.getAsInt());
    }
    boolean hasSummary = false;
    try {
      Optional<Summary> summary = publication.summary(dataset.id()).filter(Summary::complete)
          .filter(found -> found.descriptor().createdUs() == dataset.createdUs());
      if (summary.isEmpty()) {
        return new InPrefix.Absent(flushFile.read().find(dataset.id()).filter(entry ->
            entry.locations().contains(Location.FLUSHING) || entry.locations().contains(Location.SYNC_FLUSHING))
            .isPresent());
      }
      hasSummary = true;
      DatasetVerification.Verified seen = DatasetVerification.look(paths, dataset.id());
      Optional<Index.Entry> entry = index.find(dataset.id());
      return new InPrefix.Complete(seen.problems(), seen.badRanks(),
          entry.isPresent(), entry.flatMap(Index.Entry::failed).isPresent());
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return new InPrefix.Damaged(e.getMessage(), !hasSummary);
    }
  }

  private int ranks(DatasetDescriptor dataset, InPrefix prefix, Optional<DatasetScan> scan) {
    for (Inventory node : inventories) {
      for (Inventory.Dataset held : node.datasets()) {
        if (held.descriptor().equals(dataset)) {
          return held.origin().ranks();
        }
      }
    }
    if (scan.isPresent()) {
      return scan.get().worldRanks();
    }
    return prefix instanceof InPrefix.Absent ? 0 : ranksOfMap(dataset.id());
  }

  /** 0 if the map does not say. */
  private int ranksOfMap(int id) {
    try {
      return new RankMapReader(paths, id).ranks();
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return 0;
    }
  }
}
