package io.vertxscr.placement;

import io.vertxscr.model.DatasetRecord.FlushState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Rules of eviction from a node's caches. Pure; every node of a run has the same result for the same datasets.
 *
 * <p>Late: when a new checkpoint is protected everywhere, what its store need not keep goes. Early: before a phase,
 * only where the new dataset would not fit, or where a store is to have no more than its count at any time. Neither
 * deletes what is still on its way to the prefix directory, nor a checkpoint that nothing replaces: one is replaced by
 * a newer one that is known to be restorable and survives at least as many losses, or by its own copy in the prefix
 * directory. So one without redundancy never takes the place of the last one that survives the loss of a node,
 * independent of the store's count. The last one goes only where a count of one is asked for, and either exactly, or in
 * a store that could never have two: where room is missing for the moment, the next one may fail, too.
 *
 * <p>A checkpoint that the restart has passed over is replaced by a newer one in the prefix directory, too: the program
 * has left it behind. Then even its pending flush does not hold it where its bytes are in the way of the next dataset;
 * without such a one only as long as a phase waits for flushes, unless it is output: else no phase would find room any
 * more.
 *
 * <p>Nothing tells whether a restart of another program could use what that program has left here, or whether something
 * newer replaces it. So it goes only when it is in the prefix directory, or when somebody says so.
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

  /**
   * A dataset in a cache.
   *
   * @param store base of its store
   * @param losses members of a redundancy set that it survives the loss of once it is protected
   * @param output whether it is to be in the prefix directory
   * @param pending whether its protection is still under way here
   * @param bytes of it, redundancy included
   */
  public record Cached(int id, String store, boolean checkpoint, boolean output, int losses, boolean pending,
      Standing standing, FlushState flush, long bytes) {

    /** A checkpoint, or output, protected as it is to be. */
    public Cached(int id, String store, boolean checkpoint, int losses, Standing standing, FlushState flush,
        long bytes) {
      this(id, store, checkpoint, !checkpoint, losses, false, standing, flush, bytes);
    }

    /** While its protection is pending it survives no loss, under any scheme. */
    private int survives() {
      return pending ? 0 : losses;
    }

    /**
     * Whether another one survives as much. Not less than this one will: on other nodes it may be protected already.
     */
    private boolean isMatchedBy(Cached other) {
      return other.survives() >= losses;
    }

    private boolean isOwnCheckpoint() {
      return checkpoint && (standing == Standing.WHOLE || standing == Standing.UNTRIED);
    }

    private boolean isPassedOver() {
      return checkpoint && standing == Standing.PASSED_OVER;
    }

    /** Whether it is held until it is flushed, wherever room is needed. */
    public boolean isHeldByFlush() {
      return flush == FlushState.WANTED && !isPassedOver();
    }

    /** Whether it is a checkpoint of another program, and not in the prefix directory. */
    public boolean isOnlyCopyOfOthers() {
      return checkpoint && standing == Standing.FOREIGN && flush != FlushState.DONE;
    }
  }

  /**
   * A dataset that is about to be written.
   *
   * @param storeCount checkpoints that its store keeps
   * @param single whether the whole store has room for one such dataset only: a lack of room that does not pass
   * @param exact whether the store must not have more datasets than that while it is written, and is to be deleted from
   *     for it, at any loss
   * @param missingBytes what must be freed in the store for it
   * @param waited whether pending flushes have had their time
   */
  public record SpaceDemand(String store, int losses, int storeCount, boolean single, boolean exact,
      long missingBytes, boolean waited) {

    /** Of a phase that may still wait for flushes. */
    public SpaceDemand(
        String store, int losses, int storeCount, boolean single, boolean exact, long missingBytes) {
      this(store, losses, storeCount, single, exact, missingBytes, false);
    }

    /** Whether a pending flush does not hold what no run may ever be able to flush. */
    private boolean givesUp(Cached dataset) {
      return waited && dataset.isPassedOver() && !dataset.output();
    }

    /** Not those of others that are nowhere else: they stay. */
    private boolean counts(Cached dataset) {
      return exact && dataset.store().equals(store)
          && (dataset.standing() != Standing.FOREIGN || dataset.flush() == FlushState.DONE);
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
  public record EvictionPlan(List<Integer> evicted, boolean lastGoes, long missingBytes, long tooMany) {
    public EvictionPlan {
      evicted = List.copyOf(evicted);
    }

    /** With no more datasets than there may be. */
    public EvictionPlan(List<Integer> evicted, boolean lastGoes, long missingBytes) {
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
    if (dataset.flush() == FlushState.WANTED) {
      return false;
    }
    if (!dataset.checkpoint()) {
      return true;
    }
    return switch (dataset.standing()) {
      case FOREIGN -> dataset.flush() == FlushState.DONE;
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
    return dataset.flush() == FlushState.DONE || held.stream().anyMatch(other ->
        isWhole(other) && other.id() > dataset.id() && dataset.isMatchedBy(other));
  }

  /** Whether a newer one takes the place of one that was passed over. */
  private static boolean isLeftBehind(Cached dataset, List<Cached> held) {
    return held.stream().anyMatch(other -> isWhole(other) && other.id() > dataset.id()
        && (dataset.isMatchedBy(other) || other.flush() == FlushState.DONE));
  }

  /** Whether nobody will miss it in the prefix directory either, because a newer one is there. */
  private static boolean isOutdated(Cached dataset, List<Cached> held) {
    return dataset.isPassedOver() && held.stream().anyMatch(other ->
        isWhole(other) && other.id() > dataset.id() && other.flush() == FlushState.DONE);
  }

  /** Returns the victims that a restart would have used if their nodes had come back. Nothing is in their place yet. */
  public static List<Integer> givenUp(List<Cached> held, EvictionPlan plan) {
    return held.stream().filter(dataset -> plan.evicted().contains(dataset.id()) && dataset.isPassedOver()
        && dataset.flush() != FlushState.DONE && !isLeftBehind(dataset, held)).map(Cached::id).toList();
  }

  /** Selects the victims before a dataset is written that would not fit, or exceed the count. */
  public static EvictionPlan early(List<Cached> held, SpaceDemand demand) {
    List<Cached> gone = new ArrayList<>();
    for (Cached dataset : inOrder(held, demand).stream().flatMap(List::stream).distinct().toList()) {
      if (demand.missing(gone) > 0 || (demand.counts(dataset) && demand.surplus(held, gone) > 0)) {
        gone.add(dataset);
      }
    }
    for (Cached dataset : leastProtectedFirst(held, demand)) {
      if (!gone.contains(dataset) && demand.surplus(held, gone) > 0) {
        gone.add(dataset);
      }
    }
    long missing = Math.max(0, demand.missing(gone));
    long surplus = Math.max(0, demand.surplus(held, gone));
    boolean lastGoes = gone.stream().anyMatch(dataset -> dataset.isOwnCheckpoint() && !isReplaced(dataset, held));
    return missing > 0 || surplus > 0 ? new EvictionPlan(List.of(), false, missing, surplus)
        : new EvictionPlan(gone.stream().map(Cached::id).toList(), lastGoes, 0);
  }

  private static List<Cached> evictable(List<Cached> held, SpaceDemand demand) {
    return held.stream()
        .filter(dataset -> dataset.store().equals(demand.store()))
        .filter(dataset -> dataset.flush() != FlushState.WANTED || isOutdated(dataset, held)
            || demand.givesUp(dataset))
        .sorted(Comparator.comparingInt(Cached::id)).toList();
  }

  /** For a count that nothing else brings about. */
  private static List<Cached> leastProtectedFirst(List<Cached> held, SpaceDemand demand) {
    return evictable(held, demand).stream().filter(Cached::isOwnCheckpoint)
        .sorted(Comparator.comparingInt(Cached::survives)).toList();
  }

  /** Sorts candidates by the damage of their loss, least first; then oldest first. */
  private static List<List<Cached>> inOrder(List<Cached> held, SpaceDemand demand) {
    List<Cached> here = evictable(held, demand);
    return Stream.<List<Cached>>of(
        here.stream().filter(d -> !d.checkpoint() || d.isPassedOver() && isLeftBehind(d, held)).toList(),
        here.stream().filter(d -> d.standing() == Standing.FOREIGN && d.flush() == FlushState.DONE).toList(),
        here.stream().filter(d -> d.isOwnCheckpoint() && isReplaced(d, held) && d.flush() != FlushState.DONE).toList(),
        here.stream().filter(d -> (d.isOwnCheckpoint() || d.isPassedOver()) && d.flush() == FlushState.DONE).toList(),
        here.stream().filter(Cached::isPassedOver).toList(),
        here.stream().filter(d -> d.isOwnCheckpoint() && demand.storeCount() == 1
            && (demand.single() || demand.exact()) && demand.losses() >= d.survives()).toList()).toList();
  }
}
