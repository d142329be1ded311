package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.RankFilemap.StoredRedundancy;
import io.vertxscr.format.prefix.RankFilemap;
import io.vertxscr.format.prefix.RankFilemapFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.FileChecks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Scans the scavenged data of a dataset: rank filemaps, and the files they list. Changes nothing. */
public final class DatasetScanner {
  /** Depth of a file's comparison with its entry. */
  public enum Depth {
    /** Its size, and a redundancy file's header. */
    SIZES,
    /** Every byte. */
    BYTES
  }

  private final PrefixPaths paths;
  private final int id;
  private final Path directory;
  private final Depth depth;

  private record RankFound(RankFilemap map, List<FileMeta> good, List<DatasetScan.SetFile> redundancy,
      List<String> problems) {}

  private DatasetScanner(PrefixPaths paths, int id, Depth depth) {
    this.paths = paths;
    this.id = id;
    this.directory = paths.dataset(id);
    this.depth = depth;
  }

  /** Whether there is anything to scan. */
  public static boolean isScavenged(PrefixPaths paths, int id) {
    return !MetadataFiles.list(paths.dataset(id), "*.scrfilemap").isEmpty();
  }

  /** @throws ScrException NO_SUCH_DATASET where nothing was scavenged, IO */
  public static DatasetScan scan(PrefixPaths paths, int id, Depth depth) {
    return new DatasetScanner(paths, id, depth).scan();
  }

  private DatasetScan scan() {
    List<String> problems = new ArrayList<>();
    List<RankFilemap> maps = new ArrayList<>();
    for (Object read : Workers.map(MetadataFiles.list(directory, "*.scrfilemap"), DatasetScanner::read)) {
      if (read instanceof RankFilemap map) {
        maps.add(map);
      } else {
        problems.add(read.toString());
      }
    }
    DatasetDescriptor descriptor = maps.stream().map(RankFilemap::descriptor).filter(found -> found.id() == id)
        .max(Comparator.comparingLong(DatasetDescriptor::createdUs)).orElseThrow(() -> new ScrException(
            Fault.NO_SUCH_DATASET, "dataset " + id + ": no rank filemaps in " + directory + ", nothing was scavenged"
                + (problems.isEmpty() ? "" : "; " + problems.getFirst())));
    List<RankFilemap> of = maps.stream().filter(map -> map.descriptor().equals(descriptor)).toList();
    maps.stream().filter(map -> !map.descriptor().equals(descriptor)).forEach(other -> problems.add(directory
        + ": the filemap of rank " + other.files().rank() + " is of another dataset, '" + other.descriptor().name()
        + "'"));
    SortedMap<Integer, DatasetScan.Rank> ranks = new TreeMap<>();
    List<DatasetScan.SetFile> redundancy = new ArrayList<>();
    for (RankFound found : Workers.map(of, this::look)) {
      RankFilemap map = found.map();
      boolean whole = found.good().size() + map.redundancy().size() >= map.expectedFiles()
          && found.good().size() == map.files().files().size();
      ranks.put(map.files().rank(),
          new DatasetScan.Rank(
          map.expectedFiles(), new RankFiles(map.files().rank(), found.good()), whole, map.segments()));
      redundancy.addAll(found.redundancy());
      problems.addAll(found.problems());
    }
    int worldRanks = of.stream().mapToInt(RankFilemap::worldRanks).max().orElseThrow();
    if (ranks.size() == worldRanks && descriptor.totals().files() > 0 && descriptor.totals()
        .equals(RankFiles.totals(ranks.values().stream().map(DatasetScan.Rank::good).toList()))) {
      ranks.replaceAll((_, rank) -> rank.asWhole());       // nothing but redundancy is missing
    }
    return new DatasetScan(descriptor, worldRanks, ranks, redundancy, problems);
  }

  /** The filemap, or the sentence that says why there is none. */
  private static Object read(Path file) {
    try {
      return MetadataFiles.read(file, RankFilemapFile::decode)
          .map(Object.class::cast).orElse(file + " is gone");
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return e.getMessage();
    }
  }

  private RankFound look(RankFilemap map) {
    var found = new RankFound(map, new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    FilesThere there = new FilesThere(directory, map);
    for (FileMeta file : map.files().files()) {
      Optional<String> problem = there.problem(file, depth);
      if (problem.isEmpty() || isPublished(file)) {
        found.good.add(file);
      } else {
        found.problems.add("rank " + map.files().rank() + ": " + problem.get());
      }
    }
    for (StoredRedundancy file : map.redundancy()) {
      look(there, file, found);
    }
    int listed = map.files().files().size() + map.redundancy().size();
    if (listed < map.expectedFiles()) {
      found.problems.add("rank " + map.files().rank() + ": " + (map.expectedFiles() - listed) + " of its "
          + map.expectedFiles() + " files could not be had from the cache");
    }
    return found;
  }

  /** A file that an interrupted publication has brought to its place already. */
  private boolean isPublished(FileMeta file) {
    return file.crc().isPresent() && FileChecks.problemUnlessUnreadable(paths.prefix(),
        new FileMeta(paths.prefix().relativize(paths.file(file.path())).toString(), file.path(), file.bytes(),
            file.crc())).isEmpty();
  }

  private void look(FilesThere there, StoredRedundancy file, RankFound found) {
    int rank = found.map.files().rank();
    try {
      Optional<String> problem = there.problem(file, depth);
      if (problem.isPresent()) {
        found.problems.add("redundancy of rank " + rank + ": " + problem.get());
        return;
      }
      RedundancyHeader header = there.header(file);
      if (header.current().rank() == rank && header.descriptor().equals(found.map.descriptor())) {
        found.redundancy.add(new DatasetScan.SetFile(rank, file, header));
      } else {
        found.problems.add("redundancy of rank " + rank + ": " + file.name() + " is of rank "
            + header.current().rank() + " of dataset '" + header.descriptor().name() + "'");
      }
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT && e.fault() != Fault.BAD_REQUEST) {
        throw e;
      }
      found.problems.add("redundancy of rank " + rank + ": " + e.getMessage());
    }
  }
}
