package io.vertxscr.format.prefix;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.Segment;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Scheme;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Scavenged files of one rank. Names are relative to the dataset's directory, so that it can be moved.
 *
 * @param worldRanks ranks of the run that wrote the dataset
 * @param expectedFiles how many files the rank had in its cache, redundancy files among them; more than are listed if
 *     some could not be had
 * @param files of the application, ascending by name: not the order of the logical file, which redundancy headers have
 * @param redundancy files that the rank wrote, ascending by name
 * @param segments of those files, by name, that are in containers
 */
public record RankFilemap(DatasetDescriptor descriptor, int worldRanks, int expectedFiles, RankFiles files,
    List<StoredRedundancy> redundancy, Map<String, List<Segment>> segments) {
  public RankFilemap {
    files = new RankFiles(files.rank(), files.files().stream().sorted(Comparator.comparing(f -> f.name())).toList());
    redundancy = redundancy.stream().sorted(Comparator.comparing(StoredRedundancy::name)).toList();
    segments = Collections.unmodifiableSortedMap(new TreeMap<>(segments));
  }

  /** Of files that stand by themselves. */
  public RankFilemap(DatasetDescriptor descriptor, int worldRanks, int expectedFiles, RankFiles files,
      List<StoredRedundancy> redundancy) {
    this(descriptor, worldRanks, expectedFiles, files, redundancy, Map.of());
  }

  /**
   * How many files a rank has.
   *
   * @param ofApplication those that it wrote
   * @param protectedOnce whether its cache has redundancy of it
   * @param redundancy what is listed; of two nodes after a crash amid a restart, of two sets
   */
  public static int expectedFiles(RankFiles ofApplication, boolean protectedOnce, List<StoredRedundancy> redundancy) {
    return ofApplication.files().size() + Math.max(redundancy.size(), protectedOnce ? 1 : 0);
  }

  /** Whether any of its files is in a container. */
  public boolean packed() {
    return !segments.isEmpty();
  }

  /** A file of the application as the map of the published dataset will have it. */
  public FlushedFile flushed(FileMeta file) {
    return FlushedFile.packed(file, segments.getOrDefault(file.name(), List.of()));
  }

  /** Returns a redundancy file in the form of a map's file; no map has it. */
  public FlushedFile flushed(StoredRedundancy file) {
    return new FlushedFile(file.name(), OptionalLong.of(file.bytes()), OptionalInt.of(file.crc()),
        segments.getOrDefault(file.name(), List.of()));
  }

  /** @param crc CRC-32 of the whole file, header included */
  public record StoredRedundancy(String name, Scheme scheme, long bytes, int crc) {}
}
