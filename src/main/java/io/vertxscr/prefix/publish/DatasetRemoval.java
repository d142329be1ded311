package io.vertxscr.prefix.publish;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.container.ContainerDrafts;
import io.vertxscr.prefix.copy.container.ContainerPaths;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.metadata.WrittenOver;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.Presence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Removes a dataset's files from the prefix directory, and directories that become empty. Then come its map, its
 * containers, and last its summary, by which a repeated call finds the rest after a crash. The index does not list it
 * any more.
 *
 * <p>Deleting is where a checkpoint could be lost, so a file goes only if nothing speaks for it: no other dataset's map
 * has its path (and all those maps could be read; one that is listed as replaced, or was dropped, has lost its claim if
 * it is older, or if the file was changed after its map: then this dataset was flushed again), its size is the one
 * in the dataset's own map, and it was not changed after that map, as the file of a dataset that is being flushed right
 * now would be: a map is written behind the renames. So an older dataset that is listed again meanwhile loses nothing,
 * although maps and index are read without the lock, and its flush changes the summary of this one ({@link
 * Publication#markOverwritten}). One without summary that is not listed, since its flush was cut off, has a claim to
 * what was not changed after its map. What counts is when the inode changed (ctime): files keep the time that the
 * application wrote them at, and a rename sets this one. A user who changes mode or group of such files keeps them in
 * place.
 *
 * <p>An older dataset that is replaced or dropped may have had a file that goes. Its summary says before that it is not
 * complete: once this one's map is gone, nothing else tells who makes the index again.
 *
 * <p>All of it is done under the lock, {@link #FILES_AT_ONCE} files at a time, so that others can have it between; each
 * time the summary must still be that of the very dataset, and the index must not list it again. No node gives names
 * meanwhile: a file would get one between the look at the older one and its deletion.
 */
public final class DatasetRemoval {
  /** Files removed under one hold of the lock: less than a second of work on any file system. */
  private static final int FILES_AT_ONCE = 256;

  private final PrefixPaths paths;
  private final PrefixIndex index;

  public DatasetRemoval(PrefixPaths paths, PrefixIndex index) {
    this.paths = paths;
    this.index = index;
  }

  /**
   * Removes a dataset that has a summary.
   *
   * @return how many of its files were removed; those that are not its own any more stay
   * @throws io.vertxscr.model.ScrException CORRUPT if a map cannot be read, before anything is removed; WRONG_STATE if
   *     the id is another dataset's, or listed again; TAKEN_OVER; IO
   */
  public int remove(DatasetKey key) {
    int id = key.id();
    requireWithdrawn(key, index);
    FileTime written = written(id).orElseThrow(() -> isAnother(key));
    Map<String, FlushedFile> files = new HashMap<>();
    boolean hasMap = Presence.exists(paths.rankMap(id));
    if (hasMap) {
      new RankMapReader(paths, id).forEach(entry ->
          WrittenOver.places(entry).forEach(file -> files.put(file.place(), file)));
    }
    Set<Path> directories = new LinkedHashSet<>();
    files.keySet().forEach(place -> directories.add(paths.file(place).getParent()));
    Claims claims = hasMap ? keepThoseOfOthers(id, files) : Claims.NONE;
    int removed = removeFiles(key, files.values(), claims.former, file -> isStillItsOwn(file, written,
        Optional.ofNullable(claims.until.get(file.place()))));
    PrefixDirectories.removeEmpty(paths.prefix(), directories);
    index.exclusively(held -> {
      requireWithdrawn(key, held);
      removeMetadata(id, hasMap);
      return held;
    });
    return removed;
  }

  private void removeMetadata(int id, boolean hasMap) {
    Path directory = paths.dataset(id);
    if (hasMap) {
      // the root first: without it the next call takes no file for this dataset's
      MetadataFiles.delete(directory, List.of(paths.rankMap(id)));
    }
    MetadataFiles.delete(directory, MetadataFiles.list(directory, "rank2file*"));
    ContainerDrafts.remove(paths, id);
    removeIfEmpty(new ContainerPaths(directory).directory());
    MetadataFiles.delete(directory, List.of(paths.summary(id)));
    removeIfEmpty(directory);
  }

  /**
   * Refuses a dataset that is listed again, or is not the same any more. An id may be used again, by another history of
   * the prefix directory, or by the same dataset, flushed again.
   */
  private void requireWithdrawn(DatasetKey key, PrefixIndex held) {
    boolean same = new Publication(paths, held).summary(key.id())
        .filter(summary -> summary.descriptor().key().equals(key)).isPresent();
    if (!same || held.read().index().find(key.id()).isPresent()) {
      throw isAnother(key);
    }
  }

  private ScrException isAnother(DatasetKey key) {
    return new ScrException(Fault.WRONG_STATE, "dataset " + key.id() + " in " + paths.prefix()
        + " is not the one that was to be removed any more, or is listed again: the rest of it stays");
  }

  /**
   * What others say of places of the dataset.
   *
   * @param until places of those that are not whole, or not any more, and until when they can have had them
   * @param former ids of older ones that had these places once
   */
  private record Claims(Map<String, FileTime> until, Map<String, Set<Integer>> former) {
    static final Claims NONE = new Claims(Map.of(), Map.of());
  }

  /** Leaves out the files that others have a claim to. */
  private Claims keepThoseOfOthers(int id, Map<String, FlushedFile> files) {
    Index listed = index.read().index();
    Map<String, FileTime> contested = new HashMap<>();
    Map<String, Set<Integer>> former = new HashMap<>();
    for (int other : paths.datasets()) {
      if (other == id || !Presence.exists(paths.rankMap(other))) {
        continue;
      }
      boolean lost = hasLost(listed, other);
      if (lost && other < id) {
        new WrittenOver(paths).places(other).stream().filter(files::containsKey).forEach(place ->
            former.computeIfAbsent(place, _ -> new TreeSet<>()).add(other));
        continue;
      }
      Optional<FileTime> until = lost || listed.find(other).isEmpty() ? written(other) : Optional.empty();
      new RankMapReader(paths, other).forEach(entry -> WrittenOver.places(entry).map(FlushedFile::place)
          .filter(files::containsKey).forEach(place -> until.ifPresentOrElse(
              time -> contested.merge(place, time, (one, two) -> one.compareTo(two) > 0 ? one : two),
              () -> files.remove(place))));
    }
    return new Claims(contested, former);
  }

  /** Whether a dataset was flushed whole, but is replaced, or listed no more. */
  private boolean hasLost(Index listed, int id) {
    return listed.find(id).map(entry -> entry.replacedBy().isPresent())
        .orElseGet(() -> Presence.exists(paths.summary(id)));
  }

  /** Whether a file may go. */
  @FunctionalInterface
  private interface Own {
    boolean is(FlushedFile file) throws IOException;
  }

  private int removeFiles(
      DatasetKey key, Collection<FlushedFile> files, Map<String, Set<Integer>> former, Own own) {
    List<FlushedFile> all = List.copyOf(files);
    int removed = 0;
    for (int first = 0; first < all.size(); first += FILES_AT_ONCE) {
      List<FlushedFile> some = all.subList(first, Math.min(first + FILES_AT_ONCE, all.size()));
      removed += index.exclusively(held -> {
        requireWithdrawn(key, held);
        return held.withoutNaming(() -> removeFiles(some, own,
            place -> former.getOrDefault(place, Set.of()).forEach(new Publication(paths, held)::markIncomplete)));
      });
    }
    return removed;
  }

  /** @param before is told of each place whose file is about to go */
  private int removeFiles(List<FlushedFile> files, Own own, Consumer<String> before) {
    int removed = 0;
    Set<Path> directories = new LinkedHashSet<>();
    for (FlushedFile file : files) {
      Path place = paths.file(file.place());
      try {
        if (own.is(file)) {
          before.accept(file.place());
          Files.delete(place);
          directories.add(place.getParent());
          removed++;
        }
      } catch (IOException e) {
        throw Faults.io(place, e);
      }
    }
    PrefixDirectories.force(directories);
    return removed;
  }

  private boolean isStillItsOwn(FlushedFile file, FileTime written, Optional<FileTime> othersUntil) throws IOException {
    Path place = paths.file(file.place());
    Optional<FileTime> changed = changed(place);
    return Presence.isFile(place) && changed.isPresent()
        && place.getParent().toRealPath().startsWith(paths.prefix().toRealPath())
        && file.placeBytes().isPresent() && Files.size(place) == file.placeBytes().getAsLong()
        && changed.get().compareTo(written) <= 0
        && othersUntil.filter(until -> changed.get().compareTo(until) <= 0).isEmpty();
  }

  /**
   * When all files of a dataset had their names: when its map was written. The summary is written behind it, and again
   * when an older dataset has taken files; the map is written again when it was damaged.
   */
  private Optional<FileTime> written(int id) {
    return Stream.of(paths.rankMap(id), paths.summary(id)).map(DatasetRemoval::changed).flatMap(Optional::stream)
        .min(Comparator.naturalOrder());
  }

  /** When the inode of a file has changed; empty: it is not there. */
  private static Optional<FileTime> changed(Path file) {
    try {
      return Optional.of((FileTime) Files.getAttribute(file, "unix:ctime", LinkOption.NOFOLLOW_LINKS));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw Faults.io(file, e);
    }
  }

  private static void removeIfEmpty(Path directory) {
    try {
      Files.deleteIfExists(directory);
    } catch (IOException _) {
      // not empty: it stays
    }
  }
}
