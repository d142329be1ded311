package io.vertxscr.scavenge;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.DatasetAssembly.Guard;
import io.vertxscr.scavenge.DatasetScanner.Depth;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.Presence;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Restores lost files of a published dataset from its scavenged data. The redundancy stays in its own directory when
 * the files leave it. Map and summary stay as they are; a file gets its name when it is whole and checked.
 *
 * <p>What is in containers comes out of them: files are not written into the middle of a container that others read.
 * The map then has their paths; the containers go last, so that readers find every file by the old map and by the new
 * one.
 */
final class PublishedRepair {
  private final PrefixPaths paths;
  private final DatasetDescriptor descriptor;

  PublishedRepair(PrefixPaths paths, DatasetDescriptor descriptor) {
    this.paths = paths;
    this.descriptor = descriptor;
  }

  /**
   * All or nothing. May be repeated after a crash at any point.
   *
   * @return the ranks whose files were made again; none where that is not possible
   * @throws ScrException WRONG_STATE where a later dataset owns one of the places; what the guard refuses with; CORRUPT
   *     where a rebuild gives other bytes than were protected; NO_SPACE, IO
   */
  SortedSet<Integer> run(Publication publication, Guard unlessFlushed) {
    SortedSet<Integer> rebuilt = new TreeSet<>();
    if (!DatasetScanner.isScavenged(paths, descriptor.id())) {
      return rebuilt;
    }
    DatasetScan scan = DatasetScanner.scan(paths, descriptor.id(), Depth.SIZES);
    if (!scan.descriptor().sameAs(descriptor) || !MissingFiles.of(scan).unrecoverable().isEmpty()) {
      return rebuilt;
    }
    if (scan.packed()) {
      new Unpacking(paths, descriptor.id()).copyOut();
      scan = DatasetScanner.scan(paths, descriptor.id(), Depth.SIZES);
    }
    MissingFiles missing = MissingFiles.of(scan);
    if (!missing.unrecoverable().isEmpty()) {
      return rebuilt;
    }
    boolean leavesContainers = hasSegments();
    List<RankFiles> all = new ArrayList<>();
    scan.ranks().values().stream().filter(DatasetScan.Rank::whole).forEach(rank -> all.add(rank.good()));
    List<Path> linked = missing.rebuilds().isEmpty() ? List.of() : link(all);
    try {
      var rebuild = new OfflineRebuild(paths, scan);
      List<RankFiles> made = missing.rebuilds().isEmpty() ? List.of()
          : leavesContainers ? rebuild.runAndNote(missing.rebuilds()) : rebuild.run(missing.rebuilds());
      made.forEach(rank -> rebuilt.add(rank.rank()));
      all.addAll(made);
    } finally {
      linked.forEach(PublishedRepair::remove);
    }
    var placing = new ScavengedFiles(paths, descriptor, all, _ -> Map.of());
    placing.check(publication);
    unlessFlushed.run(descriptor, index -> {
      placing.place(index);
      if (leavesContainers) {
        placing.writeMap();
      }
    });
    if (leavesContainers) {
      new Unpacking(paths, descriptor.id()).removeContainers();
    }
    return rebuilt;
  }

  /** Whether the map says that files are in containers. */
  private boolean hasSegments() {
    boolean[] found = {false};
    new RankMapReader(paths, descriptor.id()).forEach(entry ->
        found[0] |= entry.files().stream().anyMatch(file -> !file.segments().isEmpty()));
    return found[0];
  }

  /** Links the survivors to their scavenged paths for the time of a rebuild, which reads them there. */
  private List<Path> link(List<RankFiles> survivors) {
    List<Path> linked = new ArrayList<>();
    for (RankFiles rank : survivors) {
      for (FileMeta file : rank.files()) {
        Path staged = NodeDirectories.resolve(paths.dataset(descriptor.id()), file.name());
        if (Presence.exists(staged)) {
          continue;
        }
        try {
          Files.createDirectories(staged.getParent());
          Files.createLink(staged, paths.file(file.path()));
          linked.add(staged);
        } catch (IOException | UnsupportedOperationException e) {
          linked.forEach(PublishedRepair::remove);
          throw e instanceof IOException failed ? Faults.io(staged, failed) : new ScrException(Fault.IO,
              "cannot link " + staged + " to " + paths.file(file.path()) + ": " + e.getMessage(), e);
        }
      }
    }
    return linked;
  }

  private static void remove(Path link) {
    try {
      Trees.delete(link);
    } catch (IOException e) {
      throw Faults.io(link, e);
    }
  }
}
