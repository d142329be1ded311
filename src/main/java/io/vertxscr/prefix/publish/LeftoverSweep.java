package io.vertxscr.prefix.publish;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.prefix.copy.KeptFiles;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.metadata.WrittenOver;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntSupplier;
import java.util.stream.Gatherers;

/**
 * Removes what attempts to publish a complete dataset have left. These are drafts of nodes that are gone or that worked
 * for an earlier leader, and older files that were kept until it was complete.
 *
 * <p>Nobody can give the drafts names any more, since that takes the newest token. They are found by their names, in
 * the directories that the map has. Of older files only those go whose paths the map has: an attempt in another form,
 * such as a compressed one, may have taken others, and their owners are listed with them.
 *
 * <p>All of it is done under the lock, some of it at a time, and only while the dataset is complete: it may be flushed
 * again, because it was found damaged, and what that attempt has written looks the same. Blocking.
 */
public final class LeftoverSweep {
  /** Directories looked through under one hold of the lock. */
  private static final int DIRECTORIES_AT_ONCE = 64;

  private final PrefixPaths paths;
  private final PrefixIndex index;

  public LeftoverSweep(PrefixPaths paths, PrefixIndex index) {
    this.paths = paths;
    this.index = index;
  }

  /**
   * Removes them all. May be repeated.
   *
   * @param dataset published by the leader that calls; where it is not complete any more, nothing is removed
   * @return how many drafts there were
   * @throws io.vertxscr.model.ScrException CORRUPT if the map cannot be read; BUSY, TAKEN_OVER; IO
   */
  public int sweep(DatasetKey dataset) {
    Set<Path> directories = new TreeSet<>();
    RankMapReader map = new RankMapReader(paths, dataset.id());
    map.forEach(entry ->
        WrittenOver.places(entry).forEach(file -> directories.add(paths.file(file.place()).getParent())));
    int removed = 0;
    boolean hasKept = false;
    for (List<Path> some : directories.stream().gather(Gatherers.windowFixed(DIRECTORIES_AT_ONCE)).toList()) {
      removed += whileComplete(dataset, () -> some.stream().mapToInt(one -> removeDrafts(dataset, one)).sum());
      hasKept = hasKept || some.stream().anyMatch(one ->
          !MetadataFiles.list(one, PrefixPaths.keptFor(dataset.id())).isEmpty());
    }
    if (hasKept) {                                        // else no file is worth a look
      KeptFiles kept = new KeptFiles(paths, dataset.id());
      for (int part = 0; part < map.parts(); part++) {
        int number = part;
        whileComplete(dataset, () -> {
          map.forEachOf(number, entry -> WrittenOver.places(entry).forEach(file -> kept.remove(file.place())));
          return 0;
        });
      }
    }
    return removed;
  }

  private static int removeDrafts(DatasetKey dataset, Path directory) {
    List<Path> drafts = MetadataFiles.list(directory, PrefixPaths.draftsOf(dataset));
    MetadataFiles.delete(directory, drafts);
    return drafts.size() + MetadataFiles.abandon(directory, PrefixPaths.draftsOf(dataset));
  }

  /** No attempt begins before the summary is gone, and that takes the lock. @return 0 where it has begun */
  private int whileComplete(DatasetKey dataset, IntSupplier removal) {
    return index.exclusively(held -> new Publication(paths, held).isComplete(dataset) ? removal.getAsInt() : 0);
  }
}
