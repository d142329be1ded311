package io.vertxscr.prefix.publish;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.prefix.copy.KeptFiles;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.metadata.WrittenOver;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Removes what attempts to publish a complete dataset have left. These are drafts of nodes that are gone or that worked
 * for an earlier leader, and older files that were kept until it was complete.
 *
 * <p>Nobody can give the drafts names any more, since that takes the newest token. They are found by their names, in
 * the directories that the map has. Of older files only those go whose paths the map has: an attempt in another form,
 * such as a compressed one, may have taken others, and their owners are listed with them. Blocking.
 */
public final class LeftoverSweep {
  private final PrefixPaths paths;

  public LeftoverSweep(PrefixPaths paths) {
    this.paths = paths;
  }

  /**
   * Removes them all.
   *
   * @param dataset complete, and published by the leader that calls
   * @return how many drafts there were
   * @throws io.vertxscr.model.ScrException CORRUPT if the map cannot be read; IO
   */
  public int sweep(DatasetKey dataset) {
    Set<Path> directories = new TreeSet<>();
    RankMapReader map = new RankMapReader(paths, dataset.id());
    map.forEach(entry ->
        WrittenOver.places(entry).forEach(file -> directories.add(paths.file(file.place()).getParent())));
    int removed = 0;
    boolean hasKept = false;
    for (Path directory : directories) {
      List<Path> drafts = MetadataFiles.list(directory, PrefixPaths.draftsOf(dataset));
      MetadataFiles.delete(directory, drafts);
      removed += drafts.size() + MetadataFiles.abandon(directory, PrefixPaths.draftsOf(dataset));
      hasKept = hasKept || !MetadataFiles.list(directory, PrefixPaths.keptFor(dataset.id())).isEmpty();
    }
    if (hasKept) {                                        // else no file is worth a look
      KeptFiles kept = new KeptFiles(paths, dataset.id());
      map.forEach(entry -> WrittenOver.places(entry).forEach(file -> kept.remove(file.place())));
    }
    return removed;
  }
}
