package io.vertxscr.prefix;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.Summary;
import io.vertxscr.format.prefix.SummaryFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Removes from the prefix directory what is left of datasets whose name a later one has taken: files that the later one
 * did not write over, then the map, then the summary, by which a repeated call finds the rest after a crash.
 *
 * <p>Deleting is where a checkpoint could be lost, so a file goes only if nothing speaks for it: no other dataset's map
 * has its path (and all those maps could be read), its size is the one in the replaced dataset's map, and it was not
 * written after that dataset's summary, as the file of a dataset that is being flushed right now would be.
 */
final class ReplacedDatasets {
  private final PrefixPaths paths;
  private final Index index;

  ReplacedDatasets(PrefixPaths paths, Index index) {
    this.paths = paths;
    this.index = index;
  }

  /** @return what was done, and what was not, in sentences */
  List<String> remove(DatasetDescriptor successor) {
    List<String> remarks = new ArrayList<>();
    for (int id : datasets()) {
      if (index.find(id).isEmpty() && isOlderOfThisName(id, successor)) {
        try {
          remarks.add(remove(id, successor));
        } catch (ScrException e) {
          if (e.fault() != Fault.CORRUPT) {
            throw e;
          }
          remarks.add("dataset " + id + ", replaced by " + successor.id() + ", is left as it is: " + e.getMessage());
        }
      }
    }
    return remarks;
  }

  private List<Integer> datasets() {
    return MetadataFiles.list(paths.scr(), "scr.dataset.*").stream()
        .map(PrefixPaths::datasetOf).filter(OptionalInt::isPresent).map(OptionalInt::getAsInt).toList();
  }

  private boolean isOlderOfThisName(int id, DatasetDescriptor successor) {
    try {
      Optional<Summary> summary = MetadataFiles.read(paths.summary(id), SummaryFile::decode);
      return summary.map(Summary::descriptor).filter(old -> id != successor.id() && old.id() == id
          && old.name().equals(successor.name()) && old.createdUs() <= successor.createdUs()).isPresent();
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return false;
    }
  }

  private String remove(int id, DatasetDescriptor successor) {
    FileTime sealed = modified(paths.summary(id));
    Map<String, FlushedFile> files = new HashMap<>();
    boolean hasMap = Files.exists(paths.rankMap(id));
    if (hasMap) {
      new RankMapReader(paths, id).forEach(entry -> entry.files().forEach(file -> files.put(file.path(), file)));
      keepThoseOfOthers(id, files);
    }
    int removed = removeFiles(files, sealed);
    Path directory = paths.dataset(id);
    if (hasMap) {
      // the root first: without it the next call takes no file for this dataset's
      MetadataFiles.delete(directory, List.of(paths.rankMap(id)));
    }
    MetadataFiles.delete(directory, MetadataFiles.list(directory, "rank2file*"));
    MetadataFiles.delete(directory, List.of(paths.summary(id)));
    removeIfEmpty(directory);
    return "dataset " + id + " '" + successor.name() + "' was replaced by dataset " + successor.id() + ": its map and "
        + removed + " files that were not written over are removed";
  }

  private void keepThoseOfOthers(int id, Map<String, FlushedFile> files) {
    for (int other : datasets()) {
      if (other != id && Files.exists(paths.rankMap(other))) {
        new RankMapReader(paths, other).forEach(entry ->
            entry.files().forEach(file -> files.remove(file.path())));
      }
    }
  }

  private int removeFiles(Map<String, FlushedFile> files, FileTime sealed) {
    int removed = 0;
    Set<Path> directories = new LinkedHashSet<>();
    for (FlushedFile file : files.values()) {
      Path place = paths.file(file.path());
      try {
        if (isStillTheOld(place, file, sealed)) {
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

  private boolean isStillTheOld(Path place, FlushedFile file, FileTime sealed) throws IOException {
    return Files.isRegularFile(place, LinkOption.NOFOLLOW_LINKS)
        && place.getParent().toRealPath().startsWith(paths.prefix().toRealPath())
        && file.bytes().isPresent() && Files.size(place) == file.bytes().getAsLong()
        && Files.getLastModifiedTime(place).compareTo(sealed) <= 0;
  }

  private static FileTime modified(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException e) {
      throw Faults.io(file, e);
    }
  }

  private static void removeIfEmpty(Path directory) {
    try {
      Files.deleteIfExists(directory);
    } catch (IOException _) {
      // somebody else's file is in it: it stays
    }
  }
}
