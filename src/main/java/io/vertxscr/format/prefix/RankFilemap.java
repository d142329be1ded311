package io.vertxscr.format.prefix;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Scheme;
import java.util.Comparator;
import java.util.List;

/**
 * What was scavenged of one rank: names are relative to the dataset's directory, so that this can be moved.
 *
 * @param worldRanks ranks of the run that wrote the dataset
 * @param expectedFiles how many files the rank had in its cache, redundancy files among them; more than are listed if
 *     some could not be had
 * @param files of the application, ascending by name: not the order of the logical file, which redundancy headers have
 * @param redundancy files that the rank wrote, ascending by name
 */
public record RankFilemap(DatasetDescriptor descriptor, int worldRanks, int expectedFiles, RankFiles files,
    List<Redundancy> redundancy) {
  public RankFilemap {
    files = new RankFiles(files.rank(), files.files().stream().sorted(Comparator.comparing(f -> f.name())).toList());
    redundancy = redundancy.stream().sorted(Comparator.comparing(Redundancy::name)).toList();
  }

  /** @param crc CRC-32 of the whole file, header included */
  public record Redundancy(String name, Scheme scheme, long bytes, int crc) {}
}
