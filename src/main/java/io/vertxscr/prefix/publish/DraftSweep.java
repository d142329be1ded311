package io.vertxscr.prefix.publish;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.metadata.WrittenOver;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Removes drafts of a complete dataset, of nodes that are gone or that worked for an earlier leader.
 *
 * <p>Nobody can give them names any more, since that takes the newest token. They are found by their names, in the
 * directories that the map has. Blocking.
 */
public final class DraftSweep {
  private final PrefixPaths paths;

  public DraftSweep(PrefixPaths paths) {
    this.paths = paths;
  }

  /**
   * Removes them all.
   *
   * @param dataset complete, and published by the leader that calls
   * @return how many there were
   * @throws io.vertxscr.model.ScrException CORRUPT if the map cannot be read; IO
   */
  public int sweep(DatasetKey dataset) {
    Set<Path> directories = new TreeSet<>();
    new RankMapReader(paths, dataset.id()).forEach(entry ->
        WrittenOver.places(entry).forEach(file -> directories.add(paths.file(file.place()).getParent())));
    int removed = 0;
    for (Path directory : directories) {
      List<Path> drafts = MetadataFiles.list(directory, PrefixPaths.draftsOf(dataset));
      MetadataFiles.delete(directory, drafts);
      removed += drafts.size();
    }
    return removed;
  }
}
