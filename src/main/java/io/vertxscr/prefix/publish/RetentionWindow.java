package io.vertxscr.prefix.publish;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Retention: keeps the newest checkpoints in a prefix directory, and deletes older ones. A dataset leaves the index
 * before its files go, each durably, so that a crash leaves nothing that looks whole and is not; an interrupted
 * deletion is resumed when the window slides again. Blocking.
 *
 * <p>What goes must be replaced: it is older than so many checkpoints that a restart can use; or a later dataset has
 * written over its files, and there are so many newer ones, usable or not. It never is output, nor
 * the one that restarts begin with. Files that other datasets have as well, or that were written over, stay.
 */
public final class RetentionWindow {
  private final PrefixPaths paths;
  private final PrefixIndex index;
  /** What an attempt has begun to delete, oldest first. */
  private final Set<DatasetDescriptor> begun = new LinkedHashSet<>();

  public RetentionWindow(PrefixPaths paths, PrefixIndex index) {
    this.paths = paths;
    this.index = index;
  }

  /**
   * Returns the entries beyond the window, oldest first.
   *
   * @param keep checkpoints that stay, at least 1
   * @param isUsable whether restarts would use one that the index says they may: one in quarantine replaces nothing
   */
  static List<Index.Entry> surplus(Index index, int keep, Predicate<DatasetDescriptor> isUsable) {
    List<Index.Entry> usable = index.entries().stream().filter(Index.Entry::restartable)
        .filter(entry -> isUsable.test(entry.descriptor())).toList();
    int oldestKept = usable.size() < keep ? 0 : usable.get(usable.size() - keep).id();
    List<Integer> listed = index.entries().stream().filter(entry -> entry.descriptor().flags().checkpoint())
        .map(Index.Entry::id).toList();
    int oldestListed = listed.size() <= keep ? 0 : listed.get(listed.size() - keep);
    return index.entries().stream()
        .filter(entry -> entry.id() < oldestKept || entry.replacedBy().isPresent() && entry.id() < oldestListed)
        .filter(entry -> mayGo(index, entry.descriptor())).toList();
  }

  /** Output stays, as does what a user has said to be current. */
  private static boolean mayGo(Index index, DatasetDescriptor dataset) {
    return dataset.flags().checkpoint() && !dataset.flags().output()
        && !index.current().equals(Optional.of(dataset.name()));
  }

  /** Whether a dataset that is not listed yet would be surplus as soon as it is. Parameters as of {@link #surplus}. */
  public static boolean isBeyond(
      Index index, int keep, Predicate<DatasetDescriptor> isUsable, DatasetDescriptor dataset) {
    long newer = index.entries().stream().filter(entry -> entry.restartable() && entry.id() > dataset.id())
        .filter(entry -> isUsable.test(entry.descriptor())).count();
    return newer >= keep && mayGo(index, dataset);
  }

  /**
   * Deletes the surplus.
   *
   * @param gone is told what was deleted, oldest first
   * @throws ScrException CORRUPT if a map cannot be read, so that nobody knows which files are whose; BUSY, IO. What
   *     was deleted before that is gone
   */
  public void slide(int keep, Predicate<DatasetDescriptor> isUsable, Consumer<DatasetDescriptor> gone) {
    delete(now -> surplus(now, keep, isUsable), gone);
  }

  /** Deletes all that the index lists, output too. */
  public void purge(Consumer<DatasetDescriptor> gone) {
    delete(Index::entries, gone);
  }

  /**
   * Deleting takes its time: whether one is still to go is asked again when it is its turn. An attempt that somebody
   * else's lock ends is repeated on this object: what it has taken out of the index is removed then.
   */
  private void delete(Function<Index, List<Index.Entry>> choice, Consumer<DatasetDescriptor> gone) {
    Withdrawal withdrawal = new Withdrawal(paths, index);
    choice.apply(index.read().index()).stream().map(Index.Entry::descriptor).forEach(begun::add);
    for (DatasetDescriptor listed : List.copyOf(begun)) {
      List<Integer> ids = withdrawal.delete(listed, (now, found) -> choice.apply(now).contains(found));
      begun.remove(listed);
      if (ids.contains(listed.id())) {
        gone.accept(listed);
      }
    }
  }
}
