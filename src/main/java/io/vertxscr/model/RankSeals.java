package io.vertxscr.model;

import java.util.List;
import java.util.Optional;

/**
 * Seals of one rank's files and of its redundancy file. Files without one have to be read before they are used.
 *
 * @param mount id of the mount of the file system that they are of; empty where nothing is sealed
 * @param files in the order of the rank's files; none at all where no file is sealed
 * @param redundancy of the redundancy file that the rank wrote, header included
 */
public record RankSeals(String mount, List<Optional<Seal>> files, Optional<Seal> redundancy) {
  /** Nothing is sealed. */
  public static final RankSeals NONE = new RankSeals("", List.of(), Optional.empty());

  /** Has one form only for what says the same. */
  public RankSeals {
    files = mount.isEmpty() || files.stream().allMatch(Optional::isEmpty) ? List.of() : List.copyOf(files);
    redundancy = mount.isEmpty() ? Optional.empty() : redundancy;
    mount = files.isEmpty() && redundancy.isEmpty() ? "" : mount;
  }

  /** The seal of the file in this place, if it has one. */
  public Optional<Seal> file(int index) {
    return files.isEmpty() ? Optional.empty() : files.get(index);
  }

  /** Returns those of the files alone. */
  public RankSeals withoutRedundancy() {
    return new RankSeals(mount, files, Optional.empty());
  }

  /** Returns that of the redundancy file alone. */
  public RankSeals withoutFiles() {
    return new RankSeals(mount, List.of(), redundancy);
  }
}
