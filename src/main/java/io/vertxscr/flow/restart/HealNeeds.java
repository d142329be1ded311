package io.vertxscr.flow.restart;

import io.vertxscr.flow.restart.DatasetStanding.Grade;
import io.vertxscr.flow.restart.Inventory.Held;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.GroupDescriptors;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Tells which datasets want healing, and which have to leave drained nodes (docs/flows/healing.md). How that is done
 * plans {@link HealPlanner}. Pure.
 *
 * @param caches what the nodes hold
 * @param groups failure groups of all nodes, as far as they are known
 */
public record HealNeeds(List<Inventory> caches, GroupDescriptors groups) {
  public HealNeeds {
    caches = List.copyOf(caches);
  }

  /** Datasets that have lost parts, all of which these nodes can make again; newest first. */
  public List<Inventory.Dataset> degraded() {
    return newest(dataset -> grade(dataset) == Grade.DEGRADED);
  }

  /** Whether the caches lack something of any dataset, even if nothing can be done about it now. */
  public boolean isAnyLacking() {
    return all().stream().map(this::grade).anyMatch(grade -> grade == Grade.DEGRADED || grade == Grade.LOST);
  }

  /**
   * Datasets for which drained nodes are needed; newest first. Not what is in the prefix directory, nor what is lost
   * already.
   */
  public List<Inventory.Dataset> toMove() {
    return caches.stream().noneMatch(Inventory::drained) ? List.of() : newest(new Drained()::has);
  }

  /** The nodes that are to go, and those that stay. */
  private final class Drained {
    private final CacheSnapshot going = CacheSnapshot.of(caches.stream().filter(Inventory::drained).toList());
    private final HealNeeds staying =
        new HealNeeds(caches.stream().filter(cache -> !cache.drained()).toList(), groups);

    /** Whether they are needed for a dataset. */
    boolean has(Inventory.Dataset dataset) {
      if (isFlushed(dataset)) {
        return false;
      }
      Grade now = grade(dataset);
      return switch (now) {
        case LOST, OPEN -> false;
        case DEGRADED -> hasPartAlone(dataset);
        case FULL, SINGLE -> staying.grade(dataset).ordinal() > now.ordinal();
      };
    }

    private boolean hasPartAlone(Inventory.Dataset dataset) {
      List<Held> others =
          CacheSnapshot.of(staying.caches).copies(dataset.key()).flatMap(copy -> copy.ranks().stream()).toList();
      return going.copies(dataset.key()).flatMap(copy -> copy.ranks().stream()).anyMatch(held ->
          held.files() && others.stream().noneMatch(other -> other.rank() == held.rank() && other.files())
              || held.redundancy() && others.stream().noneMatch(other -> other.rank() == held.rank()
                  && other.redundancy() && other.set().equals(held.set())));
    }
  }

  /**
   * Datasets of which a node has parts, and that neither the caches nor the prefix can give back. Unless a newer one
   * replaces them they are missed as soon as nodes return that are away.
   */
  public List<Inventory.Dataset> lostForNow(String node) {
    List<Inventory.Dataset> all = all();
    return all.stream().filter(dataset -> CacheSnapshot.of(caches).holders(dataset.key()).stream()
            .anyMatch(cache -> cache.node().equals(node)))
        .filter(dataset -> grade(dataset) == Grade.LOST && !isFlushed(dataset)
            && all.stream().noneMatch(newer -> replaces(newer, dataset))).toList();
  }

  /**
   * Checkpoints of which some nodes have parts that nobody can use any more. A newer one of the program is whole, and
   * survives as many losses; its nodes have evicted this one. Others, which had parts made by healing, have not.
   */
  public List<DatasetKey> leftBehind() {
    List<Inventory.Dataset> all = all();
    return all.stream().filter(old -> grade(old) == Grade.LOST
            && CacheSnapshot.of(caches).copies(old.key()).noneMatch(copy -> copy.flush() == FlushState.WANTED)
            && all.stream().anyMatch(newer -> replaces(newer, old) && Collections.disjoint(
                CacheSnapshot.of(caches).holders(newer.key()), CacheSnapshot.of(caches).holders(old.key()))))
        .map(Inventory.Dataset::key).toList();
  }

  private boolean replaces(Inventory.Dataset newer, Inventory.Dataset old) {
    return newer.descriptor().flags().checkpoint() && old.descriptor().flags().checkpoint()
        && newer.origin().prefix().equals(old.origin().prefix())
        && newer.origin().ranks() == old.origin().ranks()
        && DatasetDescriptor.BY_AGE.compare(newer.descriptor(), old.descriptor()) > 0
        && survives(newer) >= old.redundancy().survives(old.origin().ranks());
  }

  /** Losses that it survives as it is now; -1 where some of it is lost. */
  private int survives(Inventory.Dataset dataset) {
    return switch (grade(dataset)) {
      case FULL -> dataset.redundancy().survives(dataset.origin().ranks());
      case SINGLE -> 0;
      case DEGRADED, LOST, OPEN -> -1;
    };
  }

  /** Whether the prefix directory has it, as far as any node knows. */
  private boolean isFlushed(Inventory.Dataset dataset) {
    return CacheSnapshot.of(caches).copies(dataset.key()).anyMatch(copy -> copy.flush() == FlushState.DONE);
  }

  private Grade grade(Inventory.Dataset dataset) {
    return RestorePlanner.standing(dataset.descriptor(), caches, dataset.origin().ranks(), groups).state();
  }

  private List<Inventory.Dataset> newest(Predicate<Inventory.Dataset> which) {
    return all().stream().filter(which)
        .sorted(Comparator.comparing(Inventory.Dataset::descriptor, DatasetDescriptor.BY_AGE).reversed()).toList();
  }

  private List<Inventory.Dataset> all() {
    return CacheSnapshot.of(caches).datasets(_ -> true);
  }
}
