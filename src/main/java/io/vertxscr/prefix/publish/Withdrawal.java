package io.vertxscr.prefix.publish;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.Summary;
import io.vertxscr.format.prefix.SummaryFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.Function;

/** Removes a dataset from a prefix directory: from the index alone, or with all its files. Blocking. */
public final class Withdrawal {
  private final PrefixPaths paths;
  private final PrefixIndex index;

  public Withdrawal(PrefixPaths paths, PrefixIndex index) {
    this.paths = paths;
    this.index = index;
  }

  /** Whether there is anything to remove. @param files whether {@link #delete} is meant, which leaves no file */
  public boolean finds(String name, boolean files) {
    return index.read().index().find(name).isPresent() || files && !unlisted(name, Long.MAX_VALUE).isEmpty();
  }

  /** Whether this very dataset is listed. */
  public boolean finds(DatasetDescriptor which) {
    return listed(index.read().index(), which).isPresent();
  }

  private static Optional<Index.Entry> listed(Index index, DatasetDescriptor which) {
    return index.find(which.id()).filter(entry -> which.sameAs(entry.descriptor()));
  }

  /** Removes this very dataset from the index, if it is listed. @throws ScrException as {@link #drop(String)} */
  public void drop(DatasetDescriptor which) {
    dropIf(index -> listed(index, which));
  }

  /**
   * Removes the dataset of this name from the index; its files, map and summary stay.
   *
   * @return its id; empty if the index has none of that name
   * @throws ScrException BUSY, NO_SPACE, IO: the index is what it was
   */
  public Optional<Integer> drop(String name) {
    return dropIf(listed -> listed.find(name)).map(DatasetKey::id);
  }

  /** Takes the entry that the choice gives out of the index; the choice is made under the lock. */
  private Optional<DatasetKey> dropIf(Function<Index, Optional<Index.Entry>> choice) {
    if (choice.apply(index.read().index()).isEmpty()) {
      return Optional.empty();                            // nothing to lock for
    }
    return index.exclusively(held -> {
      Optional<Index.Entry> entry = choice.apply(held.read().index());
      entry.ifPresent(found -> held.update(before -> before.drop(found.id())));
      return entry.map(found -> found.descriptor().key());
    });
  }

  /**
   * Removes the dataset from the index with its files, also those left by an interrupted call. Files that belong to
   * other datasets as well, or were overwritten, stay.
   *
   * @return ids of what was removed; none if there is nothing of that name
   * @throws ScrException CORRUPT if its summary or a map cannot be read, so that the owners of files are unknown: they
   *     stay; IO
   */
  public List<Integer> delete(String name) {
    return delete(listed -> listed.find(name), name, Long.MAX_VALUE);
  }

  /**
   * Removes one dataset of a list that was made before, if it is still to go.
   *
   * @param listed as it was listed then
   * @param isToGo asked again under the lock, with the index as it is now, for the entry of the same name, id and
   *     creation time
   * @return ids of what was removed: also older datasets of that name, left by an interrupted call
   * @throws ScrException as {@link #delete(String)}
   */
  public List<Integer> delete(DatasetDescriptor listed, BiPredicate<Index, Index.Entry> isToGo) {
    return delete(now -> now.find(listed.name()).filter(entry -> listed.sameAs(entry.descriptor()))
        .filter(entry -> isToGo.test(now, entry)), listed.name(), listed.createdUs());
  }

  private List<Integer> delete(
      Function<Index, Optional<Index.Entry>> choice, String name, long newestCreatedUs) {
    TreeSet<Integer> gone = new TreeSet<>();
    dropIf(choice).map(DatasetKey::id).ifPresent(id -> {
      gone.add(id);
      MetadataFiles.read(paths.summary(id), SummaryFile::decode);   // without it nobody could say whose files are there
    });
    for (DatasetKey key : unlisted(name, newestCreatedUs)) {
      new DatasetRemoval(paths, index).remove(key);
      gone.add(key.id());
    }
    return List.copyOf(gone);
  }

  /** Datasets of this name that have a summary and are not in the index: dropped, or half deleted. */
  private List<DatasetKey> unlisted(String name, long newestCreatedUs) {
    Index listed = index.read().index();
    return paths.datasets().stream().filter(id -> listed.find(id).isEmpty()).map(this::descriptor)
        .flatMap(Optional::stream)
        .filter(descriptor -> descriptor.name().equals(name) && descriptor.createdUs() <= newestCreatedUs)
        .map(DatasetDescriptor::key).sorted(Comparator.comparingInt(DatasetKey::id)).toList();
  }

  private Optional<DatasetDescriptor> descriptor(int id) {
    try {
      return MetadataFiles.read(paths.summary(id), SummaryFile::decode).map(Summary::descriptor)
          .filter(descriptor -> descriptor.id() == id);
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return Optional.empty();                            // nobody can say whose files they are
    }
  }
}
