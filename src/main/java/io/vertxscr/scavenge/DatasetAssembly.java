package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.Summary;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.DatasetScanner.Depth;
import io.vertxscr.scavenge.DatasetVerification.Verified;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Completes a scavenged dataset and publishes it. May be repeated after a crash at any point: what was done is found
 * done. Nothing that a reader could see changes before all files are there; the summary comes last.
 */
public final class DatasetAssembly {
  private final PrefixPaths paths;
  private final Publication publication;

  /**
   * Result.
   *
   * @param missing ranks that lacked files
   * @param unrecoverable those of them whose files cannot be made again, with the reason; if there is one, nothing was
   *     changed
   * @param rebuilt ranks whose files were made again
   * @param problems what was found missing or wrong, and what was done besides, in sentences
   */
  public record Assembled(DatasetDescriptor descriptor, SortedSet<Integer> missing,
      SortedMap<Integer, String> unrecoverable, List<Integer> rebuilt, List<String> problems) {
    /** Whether the dataset is in the prefix directory now, whole. */
    public boolean valid() {
      return unrecoverable.isEmpty();
    }
  }

  public DatasetAssembly(PrefixPaths paths, Publication publication) {
    this.paths = paths;
    this.publication = publication;
  }

  /**
   * Scans, rebuilds, publishes. The caller enlists the dataset. Of one that is published, files that are missing or of
   * another size are made again; bytes are not compared, unless its summary is damaged.
   *
   * @param unlessFlushed runs the work that publishes while no daemon can begin to flush this dataset
   * @throws ScrException NO_SUCH_DATASET where nothing was scavenged; CORRUPT where a rebuild gives other bytes than
   *     were protected and no damaged file explains it, or the map or the summary of a published dataset is damaged
   *     and cannot be made again; WRONG_STATE where a later dataset owns one of the places; what
   *     {@code unlessFlushed} refuses with; NO_SPACE, IO
   */
  public Assembled assemble(int id, Guard unlessFlushed) {
    Optional<Summary> summary;
    try {
      summary = publication.summary(id).filter(Summary::complete);
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return withoutSummary(id, e.getMessage(), unlessFlushed);
    }
    return summary.isPresent() ? published(summary.get().descriptor(), whileComplete(unlessFlushed))
        : scavenged(id, Depth.SIZES, unlessFlushed);
  }

  /** A run may have deleted it since, or its id is another dataset's. */
  private Guard whileComplete(Guard unlessFlushed) {
    return (descriptor, work) -> unlessFlushed.run(descriptor, index -> {
      if (!new Publication(paths, index).isComplete(descriptor.key())) {
        throw new ScrException(Fault.WRONG_STATE, "dataset " + descriptor.id() + " '" + descriptor.name()
            + "' is not complete in " + paths.prefix() + " any more");
      }
      work.accept(index);
    });
  }

  /** Rebuilds a damaged summary from published data, else from scavenged data; every byte is read first. */
  private Assembled withoutSummary(int id, String damage, Guard unlessFlushed) {
    List<String> problems = new ArrayList<>();
    try {
      DatasetDescriptor descriptor = new SummaryRecovery(paths, publication, id).run(damage, unlessFlushed);
      problems.add(damage + "; every file was read, and the summary was made again from the index and the map");
      return new Assembled(descriptor, new TreeSet<>(), new TreeMap<>(), List.of(), problems);
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT || !isScavenged(id)) {
        throw e;
      }
      problems.add(e.getMessage());
    }
    SortedSet<Integer> rebuilt = new TreeSet<>();
    if (DatasetVerification.hasMap(paths, id)) {          // its survivors are where the application wanted them
      DatasetDescriptor descriptor = DatasetScanner.scan(paths, id, Depth.SIZES).descriptor();
      rebuilt.addAll(new PublishedRepair(paths, descriptor).run(publication, unlessFlushed));
    }
    Assembled made = scavenged(id, Depth.BYTES, unlessFlushed);
    problems.addAll(made.problems());
    rebuilt.addAll(made.rebuilt());
    if (made.valid()) {
      problems.add("it was published again from what was scavenged");
    }
    return new Assembled(made.descriptor(), made.missing(), made.unrecoverable(), List.copyOf(rebuilt), problems);
  }

  /** Whether the scavenged data belong, as far as is known, to the dataset published under this id. */
  private boolean isScavenged(int id) {
    return DatasetScanner.isScavenged(paths, id) && publication.listed(id)
        .filter(listed -> !listed.sameAs(DatasetScanner.scan(paths, id, Depth.SIZES).descriptor())).isEmpty();
  }

  private Assembled scavenged(int id, Depth depth, Guard unlessFlushed) {
    DatasetScan scan = DatasetScanner.scan(paths, id, depth);
    if (scan.packed() && !scan.missing().isEmpty() && MissingFiles.of(scan).unrecoverable().isEmpty()) {
      new Unpacking(paths, id).run();                     // what is whole stays packed, and is published so
      scan = DatasetScanner.scan(paths, id, depth);
    }
    MissingFiles missing = MissingFiles.of(scan);
    List<String> known = scan.problems();
    List<String> problems = new ArrayList<>(known);
    List<RankFiles> rebuilt;
    try {
      rebuilt = rebuild(scan, missing);
    } catch (ScrException e) {
      DatasetScan read = DatasetScanner.scan(paths, id, Depth.BYTES);
      if (e.fault() != Fault.CORRUPT || read.problems().equals(known)) {
        throw e;
      }
      problems.add("a damaged file was found while rebuilding (" + e.getMessage() + "), so every byte was read");
      read.problems().stream().filter(problem -> !known.contains(problem)).forEach(problems::add);
      scan = read;
      missing = MissingFiles.of(read);
      rebuilt = rebuild(read, missing);
    }
    if (missing.unrecoverable().isEmpty()) {
      publish(scan, rebuilt, unlessFlushed);
    }
    return new Assembled(scan.descriptor(), scan.missing(), missing.unrecoverable(),
        rebuilt.stream().map(RankFiles::rank).sorted().toList(), problems);
  }

  /** It has its summary; its files may have been deleted or overwritten since. */
  private Assembled published(DatasetDescriptor descriptor, Guard unlessFlushed) {
    List<String> problems = new ArrayList<>();
    Verified seen = look(descriptor, unlessFlushed, problems);
    SortedSet<Integer> bad = new TreeSet<>(seen.badRanks().keySet());
    if (bad.isEmpty()) {
      return new Assembled(descriptor, bad, new TreeMap<>(), List.of(), problems);
    }
    problems.addAll(seen.problems());
    SortedSet<Integer> rebuilt = new TreeSet<>();
    try {
      rebuilt.addAll(new PublishedRepair(paths, descriptor).run(publication, unlessFlushed));
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      problems.add("it cannot be repaired: " + e.getMessage());
    }
    SortedMap<Integer, String> left = new TreeMap<>(DatasetVerification.look(paths, descriptor.id()).badRanks());
    left.replaceAll((_, _) -> "what was scavenged of it, if anything was, is not enough to make them again");
    return new Assembled(descriptor, bad, left, List.copyOf(rebuilt), problems);
  }

  /** A map that is damaged or gone is made again first. */
  private Verified look(DatasetDescriptor descriptor, Guard unlessFlushed, List<String> problems) {
    try {
      return DatasetVerification.look(paths, descriptor.id());
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      problems.add(new MapRecovery(paths, descriptor).run(e.getMessage(), unlessFlushed));
      return DatasetVerification.look(paths, descriptor.id());
    }
  }

  /** All or nothing: where one rank cannot be had, no other is worth the work. */
  private List<RankFiles> rebuild(DatasetScan scan, MissingFiles missing) {
    if (!missing.unrecoverable().isEmpty() || missing.rebuilds().isEmpty()) {
      return List.of();
    }
    // Publication moves the survivors' files: after a crash within it, these ranks could not be rebuilt again.
    return new OfflineRebuild(paths, scan).runAndNote(missing.rebuilds());
  }

  private void publish(DatasetScan scan, List<RankFiles> rebuilt, Guard unlessFlushed) {
    List<RankFiles> all = new ArrayList<>(rebuilt);
    scan.ranks().forEach((rank, found) -> {
      if (found.whole()) {
        all.add(found.good());
      }
    });
    var placing = new ScavengedFiles(paths, scan.descriptor(), all, rank -> scan.ranks().containsKey(rank)
        ? scan.ranks().get(rank).segments() : Map.of());
    placing.check(publication);
    unlessFlushed.run(scan.descriptor(), index -> {
      placing.place(index);
      placing.writeMap();
      Publication held = new Publication(paths, index);
      held.markOverwritten(scan.descriptor());
      held.seal(scan.descriptor());
    });
  }

  /** Runs work with exclusive publication of the dataset, or refuses. The index is locked for it. */
  @FunctionalInterface
  public interface Guard {
    void run(DatasetDescriptor descriptor, Consumer<PrefixIndex> work);
  }
}
