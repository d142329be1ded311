package io.vertxscr.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Which datasets leave a node's caches, and when. Pure; every node of a run comes to the same answer for what it holds.
 *
 * <p>Late: when a new checkpoint is protected everywhere, what its store need not keep goes. Early: before a phase,
 * only where the new dataset would not fit. Neither deletes what is still on its way to the prefix directory, nor a
 * checkpoint that nothing replaces: one is replaced by a newer one that is known to be restorable and survives at
 * least as many losses, or by its own copy in the prefix directory. So one without redundancy never takes the place
 * of the last one that survives the loss of a node, whatever the store's count says.
 */
public final class Eviction {
  private Eviction() {}

  /** What is known about whether a restart could use a dataset. */
  public enum Standing {
    /** The run has restarted from it, or has completed it. */
    WHOLE,
    /** Older than what the run restarted from: nobody has looked. */
    UNTRIED,
    /** The restart went past it. */
    PASSED_OVER,
    /** Of another prefix directory, or of a run of another size. */
    FOREIGN
  }

  /** On its way to the prefix directory, there already, or not wanted there. */
  public enum Flushed { NO, ON_ITS_WAY, YES }

  /**
   * A dataset in a cache.
   *
   * @param store base of its store
   * @param losses members of a redundancy set that it survives the loss of
   * @param bytes what it takes, redundancy included
   */
  public record Cached(
      int id, String store, boolean checkpoint, int losses, Standing standing, Flushed flushed, long bytes) {

    private boolean isOwnCheckpoint() {
      return checkpoint && (standing == Standing.WHOLE || standing == Standing.UNTRIED);
    }
  }

  /**
   * A dataset that is about to be written.
   *
   * @param storeCount checkpoints that its store keeps
   * @param missingBytes what must be freed in the store for it
   */
  public record Wanted(String store, int losses, int storeCount, long missingBytes) {}

  /**
   * What makes room.
   *
   * @param evicted by id, in the order in which they are to go
   * @param lastGoes whether the last checkpoint that a restart could use is among them
   * @param missingBytes what is missing still; nothing is to be evicted then
   */
  public record Room(List<Integer> evicted, boolean lastGoes, long missingBytes) {
    public Room {
      evicted = List.copyOf(evicted);
    }
  }

  /**
   * What goes now that the newest checkpoint is protected.
   *
   * @param storeCounts checkpoints that each store keeps, at least 1; one that is not configured any more keeps none
   */
  public static List<Integer> late(List<Cached> held, Map<String, Integer> storeCounts) {
    return held.stream().filter(dataset -> goesLate(dataset, held, storeCounts)).map(Cached::id).sorted().toList();
  }

  private static boolean goesLate(Cached dataset, List<Cached> held, Map<String, Integer> storeCounts) {
    if (dataset.flushed() == Flushed.ON_ITS_WAY) {
      return false;
    }
    if (!dataset.checkpoint()) {
      return true;
    }
    return switch (dataset.standing()) {
      case FOREIGN -> dataset.flushed() == Flushed.YES;
      case PASSED_OVER -> held.stream().anyMatch(other -> isWhole(other) && other.id() > dataset.id());
      case WHOLE, UNTRIED -> newerInStore(dataset, held) >= storeCounts.getOrDefault(dataset.store(), 0)
          && isReplaced(dataset, held);
    };
  }

  private static long newerInStore(Cached dataset, List<Cached> held) {
    return held.stream().filter(Cached::isOwnCheckpoint)
        .filter(other -> other.store().equals(dataset.store()) && other.id() > dataset.id()).count();
  }

  private static boolean isWhole(Cached dataset) {
    return dataset.checkpoint() && dataset.standing() == Standing.WHOLE;
  }

  private static boolean isReplaced(Cached dataset, List<Cached> held) {
    return dataset.flushed() == Flushed.YES || held.stream().anyMatch(other ->
        isWhole(other) && other.id() > dataset.id() && other.losses() >= dataset.losses());
  }

  /** What goes before a dataset is written that would not fit otherwise. */
  public static Room early(List<Cached> held, Wanted wanted) {
    List<Integer> evicted = new ArrayList<>();
    boolean lastGoes = false;
    long missing = wanted.missingBytes();
    for (List<Cached> candidates : inOrder(held, wanted)) {
      for (Cached dataset : candidates) {
        if (missing <= 0) {
          return new Room(evicted, lastGoes, 0);
        }
        if (!evicted.contains(dataset.id())) {
          evicted.add(dataset.id());
          missing -= dataset.bytes();
          lastGoes |= dataset.isOwnCheckpoint() && !isReplaced(dataset, held);
        }
      }
    }
    return missing <= 0 ? new Room(evicted, lastGoes, 0) : new Room(List.of(), false, missing);
  }

  /** Those whose loss hurts least first; the oldest first among equals. */
  private static List<List<Cached>> inOrder(List<Cached> held, Wanted wanted) {
    List<Cached> here = held.stream()
        .filter(dataset -> dataset.store().equals(wanted.store()) && dataset.flushed() != Flushed.ON_ITS_WAY)
        .sorted(Comparator.comparingInt(Cached::id)).toList();
    return Stream.<List<Cached>>of(
        here.stream().filter(d -> !d.checkpoint() || d.standing() == Standing.PASSED_OVER).toList(),
        here.stream().filter(d -> d.standing() == Standing.FOREIGN && d.flushed() == Flushed.YES).toList(),
        here.stream().filter(d -> d.isOwnCheckpoint() && isReplaced(d, held) && d.flushed() != Flushed.YES).toList(),
        here.stream().filter(d -> d.isOwnCheckpoint() && d.flushed() == Flushed.YES).toList(),
        here.stream().filter(d -> d.standing() == Standing.FOREIGN).toList(),
        here.stream().filter(d -> d.isOwnCheckpoint() && wanted.storeCount() == 1
            && wanted.losses() >= d.losses()).toList()).toList();
  }
}
