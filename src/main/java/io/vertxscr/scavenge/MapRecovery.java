package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.RankFilemap;
import io.vertxscr.format.prefix.RankFilemapFile;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.DatasetAssembly.Guard;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Rebuilds the rank2file map of a published dataset from the filemaps of its ranks. Scavenged data have one for each
 * rank, which lists the same files. A dataset that daemons have flushed has none.
 */
final class MapRecovery {
  private final PrefixPaths paths;
  private final DatasetDescriptor descriptor;

  MapRecovery(PrefixPaths paths, DatasetDescriptor descriptor) {
    this.paths = paths;
    this.descriptor = descriptor;
  }

  /**
   * Writes the map, durably. Files are not looked at.
   *
   * @param damage what is wrong with the map that is there
   * @return what was done, in a sentence
   * @throws ScrException CORRUPT where the filemaps are not those of all ranks and files, with what that means; what
   *     the guard refuses with; NO_SPACE, IO
   */
  String run(String damage, Guard unlessFlushed) {
    SortedMap<Integer, RankFilemap> maps = new TreeMap<>();
    Workers.map(MetadataFiles.list(paths.dataset(descriptor.id()), "*.scrfilemap"), this::read).stream()
        .flatMap(Optional::stream).forEach(map -> maps.put(map.files().rank(), map));
    if (maps.isEmpty()) {
      throw lost(damage, "there are no rank filemaps to make it again from, as scavenged datasets have them");
    }
    int ranks = maps.values().iterator().next().worldRanks();
    if (maps.size() != ranks || maps.lastKey() != ranks - 1) {
      throw lost(damage, "only " + maps.size() + " of its " + ranks + " ranks have a filemap to make it again from");
    }
    List<RankFiles> files = maps.values().stream().map(RankFilemap::files).toList();
    Totals listed = RankFiles.totals(files);
    if (!listed.equals(descriptor.totals())) {
      throw lost(damage, "the filemaps of its ranks list " + listed.files() + " files of " + listed.bytes()
          + " bytes, not the " + descriptor.totals().files() + " of " + descriptor.totals().bytes() + " that it has");
    }
    var map = new ScavengedFiles(paths, descriptor, files, rank -> maps.get(rank).segments());
    unlessFlushed.run(descriptor, _ -> map.writeMap());
    return damage + "; the map was made again from the filemaps of its ranks";
  }

  private Optional<RankFilemap> read(Path file) {
    try {
      return MetadataFiles.read(file, RankFilemapFile::decode).filter(map -> map.descriptor().sameAs(descriptor));
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return Optional.empty();                            // it is then one of those that are missing
    }
  }

  private ScrException lost(String damage, String why) {
    return new ScrException(Fault.CORRUPT, damage + "; " + why + ". Its files are where they were, but nobody knows"
        + " which rank has which, with which checksums: put " + paths.rankMap(descriptor.id())
        + "* back from a copy, or restart from another dataset");
  }
}
