package io.vertxscr.prefix.publish;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.SummaryFile;
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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Removes a dataset's files from the prefix directory, and directories that become empty. Then come its map, its
 * containers, and last its summary, by which a repeated call finds the rest after a crash. The index does not list it
 * any more.
 *
 * <p>Deleting is where a checkpoint could be lost, so a file goes only if nothing speaks for it: no other dataset's map
 * has its path (and all those maps could be read; an older one that is listed as replaced, or was dropped, has lost its
 * claim), its size is the one in the dataset's own map, and it was not changed after the dataset's summary, as the file
 * of a dataset that is being flushed right now would be. What counts is when its inode changed (ctime): files keep the
 * time that the application wrote them at, and a rename sets this one. A user who changes mode or group of such files
 * keeps them in place.
 *
 * <p>All of it is done under the lock, {@link #FILES_AT_ONCE} files at a time, so that others can have it between; each
 * time the summary must still be that of the very dataset, and the index must not list it again.
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
   *     the id is another dataset's, or listed again; NOT_LEADER; IO
   */
  public int remove(DatasetKey key) {
    int id = key.id();
    requireWithdrawn(key, index);
    FileTime sealed = changed(paths.summary(id));
    Map<String, FlushedFile> files = new HashMap<>();
    boolean hasMap = Files.exists(paths.rankMap(id));
    if (hasMap) {
      new RankMapReader(paths, id).forEach(entry ->
          WrittenOver.places(entry).forEach(file -> files.put(file.place(), file)));
    }
    Set<Path> directories = new LinkedHashSet<>();
    files.keySet().forEach(place -> directories.add(paths.file(place).getParent()));
    if (hasMap) {
      keepThoseOfOthers(id, files);
    }
    int removed = removeFiles(key, files, sealed);
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
    boolean same = MetadataFiles.read(paths.summary(key.id()), SummaryFile::decode)
        .filter(summary -> summary.descriptor().key().equals(key)).isPresent();
    if (!same || held.read().index().find(key.id()).isPresent()) {
      throw new ScrException(Fault.WRONG_STATE, "dataset " + key.id() + " in " + paths.prefix()
          + " is not the one that was to be removed any more, or is listed again: the rest of it stays");
    }
  }

  private void keepThoseOfOthers(int id, Map<String, FlushedFile> files) {
    Index listed = index.read().index();
    for (int other : paths.datasets()) {
      if (other != id && Files.exists(paths.rankMap(other)) && !hasLost(listed, other, id)) {
        new RankMapReader(paths, other).forEach(entry ->
            WrittenOver.places(entry).forEach(file -> files.remove(file.place())));
      }
    }
  }

  /**
   * Whether the other dataset is older and was flushed whole, but is replaced or listed no more. Common files belong to
   * the later one, or to one after it.
   */
  private boolean hasLost(Index listed, int other, int id) {
    return other < id && listed.find(other).map(entry -> entry.replacedBy().isPresent())
        .orElseGet(() -> Files.exists(paths.summary(other)));
  }

  private int removeFiles(DatasetKey key, Map<String, FlushedFile> files, FileTime sealed) {
    List<FlushedFile> all = List.copyOf(files.values());
    int removed = 0;
    for (int first = 0; first < all.size(); first += FILES_AT_ONCE) {
      List<FlushedFile> some = all.subList(first, Math.min(first + FILES_AT_ONCE, all.size()));
      removed += index.exclusively(held -> {
        requireWithdrawn(key, held);
        return removeFiles(some, sealed);
      });
    }
    return removed;
  }

  private int removeFiles(List<FlushedFile> files, FileTime sealed) {
    int removed = 0;
    Set<Path> directories = new LinkedHashSet<>();
    for (FlushedFile file : files) {
      Path place = paths.file(file.place());
      try {
        if (isStillItsOwn(place, file, sealed)) {
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

  private boolean isStillItsOwn(Path place, FlushedFile file, FileTime sealed) throws IOException {
    return Files.isRegularFile(place, LinkOption.NOFOLLOW_LINKS)
        && place.getParent().toRealPath().startsWith(paths.prefix().toRealPath())
        && file.placeBytes().isPresent() && Files.size(place) == file.placeBytes().getAsLong()
        && changed(place).compareTo(sealed) <= 0;
  }

  private static FileTime changed(Path file) {
    try {
      return (FileTime) Files.getAttribute(file, "unix:ctime", LinkOption.NOFOLLOW_LINKS);
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
