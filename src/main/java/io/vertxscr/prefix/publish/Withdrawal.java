package io.vertxscr.prefix.publish;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.Summary;
import io.vertxscr.format.prefix.SummaryFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Removes a dataset from a prefix directory: from the index alone, or with all its files. Blocking. */
public final class Withdrawal {
  private final PrefixPaths paths;
  private final PrefixIndex index;

  public Withdrawal(PrefixPaths paths, PrefixIndex index) {
    this.paths = paths;
    this.index = index;
  }

  /**
   * Removes the dataset of this name from the index; its files, map and summary stay.
   *
   * @return its id; empty if the index has none of that name
   * @throws ScrException BUSY, NO_SPACE, IO: the index is what it was
   */
  public Optional<Integer> drop(String name) {
    Optional<Integer> id = index.read().index().find(name).map(Index.Entry::id);
    id.ifPresent(_ -> index.update(before -> before.find(name).map(entry -> before.drop(entry.id())).orElse(before)));
    return id;
  }

  /**
   * Removes the dataset from the index with its files, also those left by an interrupted call. Files that belong to
   * other datasets as well, or were overwritten, stay.
   *
   * @return ids of what was removed; none if there is nothing of that name
   * @throws ScrException CORRUPT if a map cannot be read, so that the owners of files are unknown: they stay; IO
   */
  public List<Integer> delete(String name) {
    TreeSet<Integer> gone = new TreeSet<>(drop(name).stream().toList());
    gone.addAll(unlisted(name));
    for (int id : gone) {
      if (Files.exists(paths.summary(id))) {
        new DatasetRemoval(paths, index.read().index()).remove(id);
      }
    }
    return List.copyOf(gone);
  }

  /** Datasets of this name that have a summary and are not in the index: dropped, or half deleted. */
  private List<Integer> unlisted(String name) {
    Index listed = index.read().index();
    List<Integer> found = new ArrayList<>();
    for (int id : paths.datasets()) {
      if (listed.find(id).isEmpty() && isNamed(id, name)) {
        found.add(id);
      }
    }
    return found;
  }

  private boolean isNamed(int id, String name) {
    try {
      return MetadataFiles.read(paths.summary(id), SummaryFile::decode).map(Summary::descriptor)
          .filter(descriptor -> descriptor.id() == id && descriptor.name().equals(name)).isPresent();
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return false;                                       // nobody can say whose files they are
    }
  }
}
