package io.vertxscr.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Rules of eviction from a node's caches. Pure; every node of a run has the same result for the same datasets.
 *
 * <p>Late: when a new checkpoint is protected everywhere, what its store need not keep goes. Early: before a phase,
 * only where the new dataset would not fit, or where a store is to have no more than its count at any time (then the
 * last one goes, too, if it must). Neither deletes what is still on its way to the prefix directory, nor otherwise a
 * checkpoint that nothing replaces: one is replaced by a newer one that is known to be restorable and survives at
 * least as many losses, or by its own copy in the prefix directory. So one without redundancy never takes the place
 * of the last one that survives the loss of a node, independent of the store's count.
 *
 * <p>A checkpoint that the restart has passed over is replaced by a newer one in the prefix directory, too: the program
 * has left it behind. Then even its pending flush does not hold it where its bytes are in the way of the next dataset.
 */
public final class Eviction {
  private Eviction() {}

  /** Knowledge about whether a restart could use a dataset. */
  public enum Standing {
    /** The run has restarted from it, or has completed it. */
    WHOLE,
    /**
     * Older than the checkpoint that the run restarted from, or not on stable storage yet. An older one is not
     * verified.
     */
    UNTRIED,
    /** Newer than what the restart has found: more than its sets tolerate was missing, and may come back. */
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
   * @param bytes of it, redundancy included
   */
  public record Cached(
      int id, String store, boolean checkpoint, int losses, Standing standing, Flushed flushed, long bytes) {

    private boolean isOwnCheckpoint() {
      return checkpoint && (standing == Standing.WHOLE || standing == Standing.UNTRIED);
    }

    private boolean isPassedOver() {
      return checkpoint && standing == Standing.PASSED_OVER;
    }
  }

  /**
   * A dataset that is about to be written.
   *
   * @param storeCount checkpoints that its store keeps
   * @param exact whether the store must not have more datasets than that while it is written, and is to be deleted from
   *     for it, at any loss
   * @param missingBytes what must be freed in the store for it
   */
  public record Wanted(String store, int losses, int storeCount, boolean exact, long missingBytes) {
    /** Creates a demand without a limit of the count. */
    public Wanted(String store, int losses, int storeCount, long missingBytes) {
      this(store, losses, storeCount, false, missingBytes);
    }

    /** Not those of others that are nowhere else: they go only where their bytes are in the way. */
    private boolean counts(Cached dataset) {
      return exact && dataset.store().equals(store)
          && (dataset.standing() != Standing.FOREIGN || dataset.flushed() == Flushed.YES);
    }

    /** So many more must go for the count. */
    private long surplus(List<Cached> held, List<Cached> gone) {
      return exact ? held.stream().filter(this::counts).filter(dataset -> !gone.contains(dataset)).count()
          - (storeCount - 1) : 0;
    }

    private long missing(List<Cached> gone) {
      return missingBytes - gone.stream().mapToLong(Cached::bytes).sum();
    }
  }

  /**
   * Result of an eviction before a phase.
   *
   * @param evicted by id, in the order in which they are to go
   * @param lastGoes whether the last checkpoint that a restart could use is among them
   * @param missingBytes space still missing; nothing is to be evicted then
   * @param tooMany datasets that are too many still; nothing is to be evicted then
   */
  public record Room(List<Integer> evicted, boolean lastGoes, long missingBytes, long tooMany) {
    public Room {
      evicted = List.copyOf(evicted);
    }

    /** With no more datasets than there may be. */
    public Room(List<Integer> evicted, boolean lastGoes, long missingBytes) {
      this(evicted, lastGoes, missingBytes, 0);
    }
  }

  /**
   * Selects the victims after the newest checkpoint is protected.
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
      case PASSED_OVER -> isLeftBehind(dataset, held);
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

  /** Whether a newer one takes the place of one that was passed over. */
  private static boolean isLeftBehind(Cached dataset, List<Cached> held) {
    return held.stream().anyMatch(other -> isWhole(other) && other.id() > dataset.id()
        && (other.losses() >= dataset.losses() || other.flushed() == Flushed.YES));
  }

  /** Whether nobody will miss it in the prefix directory either, because a newer one is there. */
  private static boolean isOutdated(Cached dataset, List<Cached> held) {
    return dataset.isPassedOver() && held.stream().anyMatch(other ->
        isWhole(other) && other.id() > dataset.id() && other.flushed() == Flushed.YES);
  }

  /** Returns the victims that a restart would have used if their nodes had come back. Nothing is in their place yet. */
  public static List<Integer> givenUp(List<Cached> held, Room room) {
    return held.stream().filter(dataset -> room.evicted().contains(dataset.id()) && dataset.isPassedOver()
        && dataset.flushed() != Flushed.YES && !isLeftBehind(dataset, held)).map(Cached::id).toList();
  }

  /** Selects the victims before a dataset is written that would not fit, or exceed the count. */
  public static Room early(List<Cached> held, Wanted wanted) {
    List<Cached> gone = new ArrayList<>();
    for (Cached dataset : inOrder(held, wanted).stream().flatMap(List::stream).distinct().toList()) {
      if (wanted.missing(gone) > 0 || (wanted.counts(dataset) && wanted.surplus(held, gone) > 0)) {
        gone.add(dataset);
      }
    }
    for (Cached dataset : leastProtectedFirst(held, wanted)) {
      if (!gone.contains(dataset) && wanted.surplus(held, gone) > 0) {
        gone.add(dataset);
      }
    }
    long missing = Math.max(0, wanted.missing(gone));
    long surplus = Math.max(0, wanted.surplus(held, gone));
    boolean lastGoes = gone.stream().anyMatch(dataset -> dataset.isOwnCheckpoint() && !isReplaced(dataset, held));
    return missing > 0 || surplus > 0 ? new Room(List.of(), false, missing, surplus)
        : new Room(gone.stream().map(Cached::id).toList(), lastGoes, 0);
  }

  private static List<Cached> evictable(List<Cached> held, Wanted wanted) {
    return held.stream()
        .filter(dataset -> dataset.store().equals(wanted.store()))
        .filter(dataset -> dataset.flushed() != Flushed.ON_ITS_WAY || isOutdated(dataset, held))
        .sorted(Comparator.comparingInt(Cached::id)).toList();
  }

  /** For a count that nothing else brings about. */
  private static List<Cached> leastProtectedFirst(List<Cached> held, Wanted wanted) {
    return evictable(held, wanted).stream().filter(Cached::isOwnCheckpoint)
        .sorted(Comparator.comparingInt(Cached::losses)).toList();
  }

  /** Sorts candidates by the damage of their loss, least first; then oldest first. */
  private static List<List<Cached>> inOrder(List<Cached> held, Wanted wanted) {
    List<Cached> here = evictable(held, wanted);
    return Stream.<List<Cached>>of(
        here.stream().filter(d -> !d.checkpoint() || d.isPassedOver() && isLeftBehind(d, held)).toList(),
        here.stream().filter(d -> d.standing() == Standing.FOREIGN && d.flushed() == Flushed.YES).toList(),
        here.stream().filter(d -> d.isOwnCheckpoint() && isReplaced(d, held) && d.flushed() != Flushed.YES).toList(),
        here.stream().filter(d -> (d.isOwnCheckpoint() || d.isPassedOver()) && d.flushed() == Flushed.YES).toList(),
        here.stream().filter(Cached::isPassedOver).toList(),
        here.stream().filter(d -> d.standing() == Standing.FOREIGN).toList(),
        here.stream().filter(d -> d.isOwnCheckpoint() && wanted.storeCount() == 1
            && wanted.losses() >= d.losses()).toList()).toList();
  }
}
