package io.vertxscr.prefix.metadata;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.Presence;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the datasets of a prefix directory that have lost files to later ones. An application that gives its files the
 * same names in each dataset has one path for all of them. Of two datasets whose maps have one place it belongs to the
 * later one: nothing is published over a later dataset. Files in containers have no places of their own.
 *
 * <p>Reads maps, which may be large: use it only if files were, or may have been, overwritten. A map that
 * is damaged or missing says nothing; restarts do not use its dataset. Blocking.
 */
public final class WrittenOver {
  private final PrefixPaths paths;

  public WrittenOver(PrefixPaths paths) {
    this.paths = paths;
  }

  /** Files of an entry that have places of their own; of the others, the path is only a name. */
  public static Stream<FlushedFile> places(RankEntry entry) {
    return entry.files().stream().filter(file -> file.segments().isEmpty());
  }

  /**
   * The older ones among these that this dataset has written over.
   *
   * @param others it may be one of them
   * @throws ScrException IO
   */
  public Set<Integer> by(DatasetDescriptor later, Collection<DatasetDescriptor> others) {
    return sharing(later.id(), others.stream()
        .filter(other -> other.id() != later.id() && DatasetDescriptor.BY_AGE.compare(other, later) < 0).toList());
  }

  /** Returns those of the others that have places of this dataset. @throws ScrException IO */
  public Set<Integer> sharing(int id, Collection<DatasetDescriptor> others) {
    Set<Integer> sharing = new TreeSet<>();
    if (!others.isEmpty()) {
      Set<String> mine = places(id);
      others.stream().filter(other -> hasOneOf(other.id(), mine::contains)).forEach(other -> sharing.add(other.id()));
    }
    return sharing;
  }

  /** Returns those of these datasets whose maps contain this path. @throws ScrException IO */
  public Set<Integer> having(String place, Collection<DatasetDescriptor> datasets) {
    return datasets.stream().map(DatasetDescriptor::id).filter(id -> hasOneOf(id, place::equals))
        .collect(Collectors.toSet());
  }

  /** The first of these datasets that has one of these places. @throws ScrException IO */
  public Optional<DatasetDescriptor> owner(Set<String> places, Collection<DatasetDescriptor> datasets) {
    return datasets.stream().filter(dataset -> hasOneOf(dataset.id(), places::contains)).findFirst();
  }

  /**
   * For each that was written over, the first later one that did it.
   *
   * @param all datasets that are, or were, whole
   * @throws ScrException IO
   */
  public Map<Integer, Integer> among(Collection<DatasetDescriptor> all) {
    Map<String, DatasetDescriptor> owners = new HashMap<>();
    Map<Integer, Integer> replaced = new TreeMap<>();
    for (DatasetDescriptor dataset : all.stream().sorted(DatasetDescriptor.BY_AGE.reversed()).toList()) {
      Set<String> mine = places(dataset.id());
      mine.stream().map(owners::get).filter(owner -> owner != null).min(DatasetDescriptor.BY_AGE)
          .ifPresent(owner -> replaced.put(dataset.id(), owner.id()));
      mine.forEach(place -> owners.put(place, dataset));
    }
    return replaced;
  }

  /** Whether one of a dataset's places has no file of the size that its map says. @throws ScrException IO */
  public boolean hasLostOne(int id) {
    return hasFile(id, file -> Presence.look(paths.file(file.place())).filter(there -> there.isRegularFile()
        && file.placeBytes().equals(OptionalLong.of(there.size()))).isEmpty());
  }

  /** All places that a dataset's map has. @throws ScrException IO */
  public Set<String> places(int id) {
    Set<String> places = new HashSet<>();
    hasOneOf(id, place -> {
      places.add(place);
      return false;
    });
    return places;
  }

  private boolean hasOneOf(int id, Predicate<String> isSo) {
    return hasFile(id, file -> isSo.test(file.place()));
  }

  /** Reads the parts of a map until one of its files that have places is so. */
  private boolean hasFile(int id, Predicate<FlushedFile> isSo) {
    boolean[] found = {false};
    try {
      RankMapReader map = new RankMapReader(paths, id);
      for (int part = 0; part < map.parts() && !found[0]; part++) {
        map.forEachOf(part, entry -> found[0] = found[0] || places(entry).anyMatch(isSo));
      }
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
    }
    return found[0];
  }
}
