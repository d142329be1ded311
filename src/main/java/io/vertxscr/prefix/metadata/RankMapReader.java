package io.vertxscr.prefix.metadata;

import io.vertxscr.format.prefix.RankFileMap.Branch;
import io.vertxscr.format.prefix.RankFileMap.Leaf;
import io.vertxscr.format.prefix.RankFileMap.MapPart;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.format.prefix.RankFileMap;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads the rank2file map of one dataset lazily. The root, the parts needed, and of these only the requested ranks.
 * Also maps of more levels than we write.
 *
 * <p>All methods throw {@link Fault#CORRUPT} where a file of the map is missing or damaged: the dataset in the
 * prefix is then not whole; and {@link Fault#IO} where that could not be found out.
 */
public final class RankMapReader {
  private final PrefixPaths paths;
  private final int dataset;
  private final RankFileMap root;

  /** Reads the root. */
  public RankMapReader(PrefixPaths paths, int dataset) {
    this.paths = paths;
    this.dataset = dataset;
    this.root = read(paths.rankMap(dataset), RankFileMapFile::decode);
  }

  /** Ranks of the run that wrote the dataset. */
  public int ranks() {
    return root.ranks();
  }

  /**
   * Reads the entries of these ranks, in ascending order of ranks.
   *
   * @throws ScrException UNKNOWN_RANK for a rank that the run did not have, CORRUPT, IO
   */
  public List<RankEntry> entries(Collection<Integer> ranks) {
    List<RankEntry> found = new ArrayList<>();
    collect(root, ranks, found);
    found.sort(Comparator.comparingInt(RankEntry::rank));
    return found;
  }

  /** Visits every entry, ascending by rank, one part in memory at a time. Fails if a rank is missing or there twice. */
  public void forEach(Consumer<RankEntry> visitor) {
    for (int part = 0; part < parts(); part++) {
      forEachOf(part, visitor);
    }
  }

  /** Returns the number of parts of the root; 1 for a map without parts. */
  public int parts() {
    return root instanceof Branch branch ? branch.parts().size() : 1;
  }

  /** Applies {@link #forEach} to one part of the root, counted from 0; several threads may read one each. */
  public void forEachOf(int part, Consumer<RankEntry> visitor) {
    int first = 0;
    int end = ranks();
    RankFileMap map = root;
    if (root instanceof Branch branch) {
      MapPart wanted = branch.parts().get(part);
      first = wanted.firstRank();
      end = part + 1 < parts() ? branch.parts().get(part + 1).firstRank() : end;
      map = child(branch, wanted, RankFileMapFile::decode);
    }
    int[] next = {first};
    visit(map, entry -> {
      if (entry.rank() != next[0]) {
        throw corrupt("has rank " + entry.rank() + " where rank " + next[0] + " should be");
      }
      next[0]++;
      visitor.accept(entry);
    });
    if (next[0] != end) {
      throw corrupt(next[0] < end ? "misses rank " + next[0] : "has rank " + end + " twice");
    }
  }

  /**
   * Reads the whole map: files and bytes of all ranks. Files without a known size count no bytes, a file of several
   * ranks counts once.
   */
  public Totals totals() {
    long[] sums = {0, 0};
    forEach(entry -> entry.files().stream().filter(file -> !file.shared()).forEach(file -> {
      sums[0]++;
      sums[1] += file.bytes().orElse(0);
    }));
    return new Totals(sums[0], sums[1]);
  }

  private void collect(RankFileMap map, Collection<Integer> ranks, List<RankEntry> found) {
    switch (map) {
      case Leaf leaf -> {
        Map<Integer, RankEntry> entries = new LinkedHashMap<>();
        leaf.entries().forEach(entry -> entries.put(entry.rank(), entry));
        for (int rank : ranks) {
          if (!entries.containsKey(rank)) {
            throw corrupt("has no entry for rank " + rank);
          }
          found.add(entries.get(rank));
        }
      }
      case Branch branch -> {
        Map<MapPart, List<Integer>> byPart = new LinkedHashMap<>();
        ranks.forEach(rank -> byPart.computeIfAbsent(branch.partOf(rank), _ -> new ArrayList<>()).add(rank));
        byPart.forEach((part, of) -> collect(child(branch, part, branch.level() > 1 ? RankFileMapFile::decode
            : file -> RankFileMapFile.decodeLeaf(file, Set.copyOf(of))), of, found));
      }
    }
  }

  private void visit(RankFileMap map, Consumer<RankEntry> visitor) {
    switch (map) {
      case Leaf leaf -> leaf.entries().forEach(visitor);
      case Branch branch -> branch.parts().forEach(part ->
          visit(child(branch, part, RankFileMapFile::decode), visitor));
    }
  }

  /** One level deeper, and never anything else: a file that names itself must not cause an endless loop. */
  private RankFileMap child(Branch parent, MapPart part, Function<byte[], ? extends RankFileMap> decoder) {
    RankFileMap child = read(paths.rankMapPart(dataset, part), decoder);
    int level = child instanceof Branch branch ? branch.level() : 0;
    if (level != parent.level() - 1) {
      throw corrupt("has a part of level " + level + " below level " + parent.level());
    }
    return child;
  }

  private RankFileMap read(Path path, Function<byte[], ? extends RankFileMap> decoder) {
    return MetadataFiles.<RankFileMap>read(path, decoder::apply)
        .orElseThrow(() -> corrupt("misses " + path));
  }

  private ScrException corrupt(String why) {
    return new ScrException(Fault.CORRUPT,
        "dataset " + dataset + " in the prefix directory " + paths.prefix() + ": its rank2file map " + why);
  }
}
