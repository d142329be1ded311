package io.vertxscr.flow.restart;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.RestartHistory;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** In which order a restart tries the checkpoints of caches and prefix directory. Pure. */
public final class RestartOrder {
  private RestartOrder() {}

  /** A checkpoint that may be restorable: from the caches, or else from the prefix directory. */
  public record Candidate(DatasetDescriptor descriptor, boolean cached) {}

  /**
   * Content of the index of the prefix directory.
   *
   * @param restartable complete checkpoints that have not failed, none newer than the current one
   * @param currentId id of the current dataset; the largest integer where restarts begin with the newest
   * @param lastId newest checkpoint of the index that could be used
   */
  public record FlushedCheckpoints(List<DatasetDescriptor> restartable, int currentId, int lastId) {
    /** Returns the content without restartable datasets, for runs that must not fetch. */
    public FlushedCheckpoints withoutFetch() {
      return new FlushedCheckpoints(List.of(), currentId, lastId);
    }

    /** Whether an older dataset is set current, so that this one is excluded from restarts. */
    boolean passesOver(int id) {
      return id > currentId && id <= lastId;
    }
  }

  /**
   * Sorts candidates: newest first, a cached copy before a flushed one. Those of a branch that the program has left
   * come after all others, and quarantined ones last, because even those are better than none.
   *
   * @param cached checkpoints of the caches that this run can use
   * @param excluded ids of datasets that are not to be tried
   */
  public static List<Candidate> of(
      List<DatasetDescriptor> cached, FlushedCheckpoints flushed, RestartHistory history,
      Collection<Integer> excluded) {
    Predicate<DatasetDescriptor> wanted = wanted(flushed, history, excluded);
    return Stream.concat(cached.stream().map(dataset -> new Candidate(dataset, true)),
            flushed.restartable().stream().map(dataset -> new Candidate(dataset, false)))
        .filter(candidate -> wanted.test(candidate.descriptor()))
        .sorted(Comparator.comparing((Candidate c) -> history.quarantined(c.descriptor()))
            .thenComparing(c -> history.left(c.descriptor()))
            .thenComparing(Comparator.comparingInt((Candidate c) -> c.descriptor().id()).reversed())
            .thenComparing(c -> !c.cached()))
        .toList();
  }

  /**
   * Whether a restart may try a dataset at all. One that somebody has removed may be in the cache of a node that was
   * away; it counts where it is listed again.
   */
  public static Predicate<DatasetDescriptor> wanted(
      FlushedCheckpoints flushed, RestartHistory history, Collection<Integer> excluded) {
    return dataset -> !excluded.contains(dataset.id()) && history.allows(dataset) && !flushed.passesOver(dataset.id())
        && (!history.isRemoved(dataset.key()) || flushed.restartable().stream().anyMatch(dataset::sameAs));
  }
}
