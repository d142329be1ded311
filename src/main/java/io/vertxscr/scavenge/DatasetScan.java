package io.vertxscr.scavenge;

import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.format.prefix.RankFileMap.Segment;
import io.vertxscr.format.prefix.RankFilemap.StoredRedundancy;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Scan result of a scavenged dataset. Immutable and pure.
 *
 * @param worldRanks ranks of the run that wrote it
 * @param ranks those that have a rank filemap
 * @param redundancy redundancy files that are there, with good headers
 * @param problems what is missing or wrong, in sentences with paths
 */
public record DatasetScan(DatasetDescriptor descriptor, int worldRanks, SortedMap<Integer, Rank> ranks,
    List<SetFile> redundancy, List<String> problems) {
  /** Name of the one place where all that was found is, as plans call it. */
  static final String HERE = "prefix";

  /**
   * One rank with a filemap.
   *
   * @param expectedFiles as its filemap says, redundancy files among them
   * @param good files of the application that are there
   * @param segments of those that are in containers, by name
   */
  public record Rank(int expectedFiles, RankFiles good, boolean whole, Map<String, List<Segment>> segments) {
    Rank asWhole() {
      return new Rank(expectedFiles, good, true, segments);
    }
  }

  /** A redundancy file: who wrote it, its entry in the filemap, its header. */
  public record SetFile(int rank, StoredRedundancy file, RedundancyHeader header) {
    RedundancySet set() {
      return header.set();
    }
  }

  public DatasetScan {
    ranks = Collections.unmodifiableSortedMap(new TreeMap<>(ranks));
    redundancy = List.copyOf(redundancy);
    problems = List.copyOf(problems);
  }

  /** Ranks that lack a file, or all. */
  public SortedSet<Integer> missing() {
    SortedSet<Integer> missing = new TreeSet<>();
    IntStream.range(0, worldRanks).filter(rank -> !isWhole(rank)).forEach(missing::add);
    return missing;
  }

  /** Whether anything is in containers. */
  public boolean packed() {
    return ranks.values().stream().anyMatch(rank -> !rank.segments().isEmpty());
  }

  boolean isWhole(int rank) {
    return ranks.containsKey(rank) && ranks.get(rank).whole();
  }

  /** Returns the scheme of the dataset; SINGLE if no redundancy was found. */
  public Scheme scheme() {
    return redundancy.stream().map(file -> file.file().scheme()).findFirst().orElse(Scheme.SINGLE);
  }

  /** Returns the scan as input of the restart planner: one node that has it all. */
  public Inventory inventory() {
    List<Inventory.Held> held = new ArrayList<>();
    Map<Integer, Set<RedundancySet>> known = new TreeMap<>();
    for (SetFile file : redundancy) {
      file.set().ranks().forEach(rank -> known.computeIfAbsent(rank, _ -> new LinkedHashSet<>()).add(file.set()));
    }
    for (int rank = 0; rank < worldRanks; rank++) {
      for (RedundancySet set : known.getOrDefault(rank, Set.of(new RedundancySet(List.of(rank))))) {
        if (isWhole(rank) || redundancy(rank, set).isPresent()) {
          held.add(new Inventory.Held(rank, set, isWhole(rank), redundancy(rank, set).isPresent()));
        }
      }
    }
    return new Inventory(HERE, List.of(new Inventory.Dataset(descriptor, new Origin("/", worldRanks), "/",
        new RedundancyDescriptor(new CheckpointDescriptor(0, true, 1, "NODE", "/",
            io.vertxscr.model.Redundancy.of(scheme(), Limits.DEFAULT_SET_SIZE), false), 0),
        FlushState.WANTED, held)));
  }

  /** Every rank on the one node. */
  RankMap rankMap() {
    return new RankMap(Collections.nCopies(worldRanks, HERE));
  }

  Optional<SetFile> redundancy(int rank, RedundancySet set) {
    return redundancy.stream().filter(file -> file.rank() == rank && file.set().equals(set)).findFirst();
  }

  /** The rank's files in the order of its logical file, as a header of this set describes them. */
  Optional<RankFiles> layout(int rank, RedundancySet set) {
    for (SetFile file : redundancy) {
      if (file.set().equals(set)) {
        if (file.header().current().rank() == rank) {
          return Optional.of(file.header().current());
        }
        for (RankFiles partner : file.header().partners()) {
          if (partner.rank() == rank) {
            return Optional.of(partner);
          }
        }
      }
    }
    return Optional.empty();
  }
}
