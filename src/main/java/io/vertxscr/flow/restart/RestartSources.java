package io.vertxscr.flow.restart;

import io.vertxscr.flow.restart.RestartOrder.Candidate;
import io.vertxscr.flow.restart.RestartOrder.FlushedCheckpoints;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.RestartHistory;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Sources of a restart, as they were seen at one time. A restart goes by them, and {@link Exposure} predicts by them.
 * Pure.
 *
 * @param caches of the nodes that are there; none for a run that must not use them
 * @param prefix directory of the run
 * @param ranks of the run
 * @param excluded ids of datasets that are not to be tried
 */
public record RestartSources(List<Inventory> caches, String prefix, int ranks, FlushedCheckpoints flushed,
    RestartHistory history, List<Integer> excluded) {
  public RestartSources {
    caches = List.copyOf(caches);
    excluded = List.copyOf(excluded);
  }

  /**
   * What a restart would take.
   *
   * @param candidate empty where it would start without a checkpoint, or not at all
   * @param otherSize a newer checkpoint of another number of ranks, because of which the run is refused
   */
  public record Offer(Optional<Candidate> candidate, Optional<Inventory.Dataset> otherSize) {}

  /** Checkpoints to be tried, the first choice first, whether or not they can be had. */
  public List<Candidate> candidates() {
    return RestartOrder.of(RestorePlanner.candidates(caches, prefix, ranks), flushed, history, excluded);
  }

  /** Returns the newest checkpoint of the caches if a run of another size wrote it. This run is refused then. */
  public Optional<Inventory.Dataset> ofOtherSize() {
    List<Candidate> candidates = candidates();
    int newest = candidates.isEmpty() ? 0 : candidates.getFirst().descriptor().id();
    return RestorePlanner.ofOtherSize(caches, prefix, ranks)
        .filter(dataset -> dataset.descriptor().id() > newest)
        .filter(dataset -> RestartOrder.wanted(flushed, history, excluded).test(dataset.descriptor()));
  }

  /** The same without these nodes. */
  public RestartSources without(Collection<String> nodes) {
    return new RestartSources(caches.stream().filter(cache -> !nodes.contains(cache.node())).toList(), prefix, ranks,
        flushed, history, excluded);
  }

  /** What a restart would take: the first that can be had. What is in the prefix directory can be, if listed so. */
  public Offer offer() {
    return offer(dataset -> RestorePlanner.obstacle(
        dataset, caches, IntStream.range(0, writers(dataset)).boxed().toList()).isEmpty());
  }

  /** Number of ranks that wrote a dataset of the caches. For shards it may be another one than the run has. */
  public int writers(DatasetDescriptor dataset) {
    return CacheSnapshot.of(caches).copies(dataset.key()).findFirst().map(copy -> copy.origin().ranks()).orElse(ranks);
  }

  /** The same where it is known already which cached checkpoints can be had. */
  Offer offer(Predicate<DatasetDescriptor> fromCaches) {
    Optional<Inventory.Dataset> otherSize = ofOtherSize();
    return new Offer(otherSize.isPresent() ? Optional.empty() : candidates().stream()
        .filter(candidate -> !candidate.cached() || fromCaches.test(candidate.descriptor())).findFirst(), otherSize);
  }
}
