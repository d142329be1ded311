package io.vertxscr.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.placement.Eviction.Cached;
import io.vertxscr.placement.Eviction.EvictionPlan;
import io.vertxscr.placement.Eviction.SpaceDemand;
import io.vertxscr.placement.Eviction.Standing;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: eviction never takes a dataset with a pending flush or the last usable one. No more stays than configured.
 * Method: all caches of one and two datasets of all kinds, random ones of up to six; walks over checkpoints of random
 * protection. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
class EvictionTest {
  private static final Map<String, Integer> ONE_EACH = Map.of("/a", 1, "/b", 1);

  @Test
  void keepsWhatTheStoreCountsAndEvictsTheRest() {
    List<Cached> held = List.of(xor(1), xor(2), xor(3), xor(4));
    assertThat(Eviction.late(held, Map.of("/a", 1))).containsExactly(1, 2, 3);
    assertThat(Eviction.late(held, Map.of("/a", 3))).containsExactly(1);
    assertThat(Eviction.late(held, Map.of("/a", 9))).isEmpty();
  }

  /** SCR lets a SINGLE checkpoint evict the only XOR one; after the loss of a node nothing is left. */
  @Test
  void aSingleCheckpointNeverEvictsTheOnlyOneThatSurvivesALoss() {
    Cached single = new Cached(5, "/a", true, 0, Standing.WHOLE, FlushState.NOT_WANTED, 1);
    Cached newer = new Cached(6, "/a", true, 0, Standing.WHOLE, FlushState.NOT_WANTED, 1);
    assertThat(Eviction.late(List.of(xor(4), single), ONE_EACH)).isEmpty();
    assertThat(Eviction.late(List.of(xor(4), single, newer), ONE_EACH)).containsExactly(5);
    assertThat(Eviction.late(List.of(xor(4), single, newer, xor(7)), ONE_EACH)).containsExactly(4, 5, 6);
    assertThat(Eviction.early(List.of(xor(4)), new SpaceDemand("/a", 0, 1, true, false, 1)))
        .isEqualTo(new EvictionPlan(List.of(), false, 1));
  }

  /** Nodes are not through with it at the same time: no two may come to different results. */
  @Test
  void oneWhoseProtectionIsUnderWayCountsAsProtectedForWhatMayReplaceItAndNotForWhatItReplaces() {
    Cached pending = new Cached(4, "/a", true, false, 1, true, Standing.WHOLE, FlushState.NOT_WANTED, 1);
    Cached single = new Cached(5, "/a", true, 0, Standing.WHOLE, FlushState.NOT_WANTED, 1);
    assertThat(Eviction.late(List.of(pending, single), ONE_EACH)).isEmpty();
    assertThat(Eviction.late(List.of(xor(3), pending), ONE_EACH)).isEmpty();
    assertThat(Eviction.late(List.of(xor(3), pending, xor(5)), ONE_EACH)).containsExactly(3, 4);
  }

  @Test
  void eachStoreKeepsItsOwnCount() {
    Cached other = new Cached(3, "/b", true, 1, Standing.WHOLE, FlushState.NOT_WANTED, 1);
    assertThat(Eviction.late(List.of(xor(1), xor(2), other, xor(4)), ONE_EACH)).containsExactly(1, 2);
  }

  @Test
  void outputLeavesOnceItIsInThePrefixDirectoryAndACheckpointStaysByItsCount() {
    Cached output = new Cached(5, "/a", false, 1, Standing.WHOLE, FlushState.DONE, 1);
    Cached onItsWay = new Cached(6, "/a", false, 1, Standing.WHOLE, FlushState.WANTED, 1);
    Cached both = new Cached(4, "/a", true, 1, Standing.WHOLE, FlushState.DONE, 1);
    assertThat(Eviction.late(List.of(both, output, onItsWay), ONE_EACH)).containsExactly(5);
  }

  @Test
  void makesRoomWithWhatHurtsLeastFirst() {
    Cached passedOver = new Cached(9, "/a", true, 1, Standing.PASSED_OVER, FlushState.NOT_WANTED, 10);
    Cached foreign = new Cached(1, "/a", true, 1, Standing.FOREIGN, FlushState.NOT_WANTED, 10);
    Cached old = new Cached(7, "/a", true, 1, Standing.UNTRIED, FlushState.NOT_WANTED, 10);
    Cached last = new Cached(8, "/a", true, 1, Standing.WHOLE, FlushState.NOT_WANTED, 10);
    List<Cached> held = List.of(foreign, old, last, passedOver);
    assertThat(Eviction.early(held, new SpaceDemand("/a", 1, 1, true, false, 1)).evicted()).containsExactly(7);
    assertThat(Eviction.early(held, new SpaceDemand("/a", 1, 1, true, false, 20)).evicted()).containsExactly(7, 9);
    assertThat(Eviction.early(held, new SpaceDemand("/a", 1, 1, true, false, 30)))
        .isEqualTo(new EvictionPlan(List.of(7, 9, 8), true, 0));
    assertThat(Eviction.early(held, new SpaceDemand("/a", 1, 2, true, false, 30)))
        .isEqualTo(new EvictionPlan(List.of(), false, 10));
    assertThat(Eviction.early(held, new SpaceDemand("/a", 1, 1, true, false, 31)))
        .as("what another program has nowhere else stays").isEqualTo(new EvictionPlan(List.of(), false, 1));
  }

  /** Nobody here knows whether the other program has anything newer, and its run may begin again at any time. */
  @Test
  void whatAnotherProgramHasNowhereElseMakesNoRoom() {
    for (FlushState flush : FlushState.values()) {
      Cached foreign = new Cached(1, "/a", true, 1, Standing.FOREIGN, flush, 10);
      boolean goes = flush == FlushState.DONE;
      assertThat(foreign.isOnlyCopyOfOthers()).isEqualTo(!goes);
      for (boolean exact : new boolean[] {false, true}) {
        assertThat(Eviction.early(List.of(foreign), new SpaceDemand("/a", 1, 1, true, exact, 10)))
            .isEqualTo(goes ? new EvictionPlan(List.of(1), false, 0) : new EvictionPlan(List.of(), false, 10));
      }
    }
  }

  /** The lack may pass, the next one may fail, and that would leave nothing. */
  @Test
  void aLackOfRoomThatMayPassTakesNoneThatNothingReplaces() {
    assertThat(Eviction.early(List.of(xor(4)), new SpaceDemand("/a", 1, 1, false, false, 1)))
        .isEqualTo(new EvictionPlan(List.of(), false, 1));
    assertThat(Eviction.early(List.of(xor(4), xor(5)), new SpaceDemand("/a", 1, 1, false, false, 1)).evicted())
        .containsExactly(4);
  }

  /** Its nodes may come back: what it lacks now is not lost. */
  @Test
  void whatTheRestartHasPassedOverStaysUntilANewerOneIsAsSafeOrFlushed() {
    Cached passedOver = new Cached(4, "/a", true, 1, Standing.PASSED_OVER, FlushState.NOT_WANTED, 10);
    Cached wanted = new Cached(5, "/a", true, 1, Standing.PASSED_OVER, FlushState.WANTED, 10);
    Cached single = new Cached(6, "/a", true, 0, Standing.WHOLE, FlushState.NOT_WANTED, 10);
    Cached flushed = new Cached(6, "/a", true, 0, Standing.WHOLE, FlushState.DONE, 10);
    assertThat(Eviction.late(List.of(xor(3), passedOver, wanted), ONE_EACH)).isEmpty();
    assertThat(Eviction.late(List.of(xor(3), passedOver, wanted, single), ONE_EACH)).isEmpty();
    assertThat(Eviction.late(List.of(xor(3), passedOver, wanted, flushed), ONE_EACH)).containsExactly(4);
    assertThat(Eviction.late(List.of(xor(3), passedOver, wanted, xor(6)), ONE_EACH)).containsExactly(3, 4);
  }

  /** Room: what is superseded goes first, what may still be used goes after all that something replaces. */
  @Test
  void whatTheRestartHasPassedOverMakesRoomAfterAllThatSomethingReplaces() {
    Cached passedOver = new Cached(4, "/a", true, 1, Standing.PASSED_OVER, FlushState.NOT_WANTED, 10);
    Cached wanted = new Cached(5, "/a", true, 1, Standing.PASSED_OVER, FlushState.WANTED, 10);
    Cached restart = new Cached(3, "/a", true, 1, Standing.WHOLE, FlushState.DONE, 10);
    Cached newer = new Cached(6, "/a", true, 1, Standing.WHOLE, FlushState.NOT_WANTED, 10);
    Cached newest = new Cached(7, "/a", true, 1, Standing.WHOLE, FlushState.DONE, 10);
    List<Cached> first = List.of(restart, passedOver, wanted);
    assertThat(Eviction.early(first, new SpaceDemand("/a", 1, 2, true, false, 10)).evicted()).containsExactly(3);
    EvictionPlan both = Eviction.early(first, new SpaceDemand("/a", 1, 2, true, false, 20));
    assertThat(both.evicted()).containsExactly(3, 4);
    assertThat(Eviction.givenUp(first, both)).containsExactly(4);
    assertThat(Eviction.early(first, new SpaceDemand("/a", 1, 2, true, false, 30)).missingBytes())
        .as("a pending flush").isEqualTo(10);
    List<Cached> later = List.of(restart, passedOver, wanted, newer);
    assertThat(Eviction.early(later, new SpaceDemand("/a", 1, 2, true, false, 10)).evicted()).containsExactly(4);
    assertThat(Eviction.early(later, new SpaceDemand("/a", 1, 2, true, false, 30)).missingBytes())
        .as("a pending flush").isEqualTo(10);
    List<Cached> flushed = List.of(restart, passedOver, wanted, newer, newest);
    assertThat(Eviction.early(flushed, new SpaceDemand("/a", 1, 2, true, false, 20)).evicted()).containsExactly(4, 5);
    assertThat(Eviction.givenUp(flushed, Eviction.early(flushed, 
        new SpaceDemand("/a", 1, 2, true, false, 20)))).isEmpty();
  }

  @Test
  void whereAnExactCountTakesTheLastOnesTheLeastProtectedGoesFirst() {
    Cached single = new Cached(5, "/a", true, 0, Standing.WHOLE, FlushState.NOT_WANTED, 1);
    assertThat(Eviction.early(List.of(xor(4), single), new SpaceDemand("/a", 0, 2, false, true, 0)))
        .isEqualTo(new EvictionPlan(List.of(5), true, 0));
    assertThat(Eviction.early(List.of(xor(4)), new SpaceDemand("/a", 0, 1, false, true, 0)))
        .isEqualTo(new EvictionPlan(List.of(4), true, 0));
    assertThat(Eviction.early(List.of(xor(4), xor(6)), new SpaceDemand("/a", 1, 2, false, true, 0)))
        .isEqualTo(new EvictionPlan(List.of(4), false, 0));
    assertThat(Eviction.early(List.of(xor(4), xor(6)), new SpaceDemand("/a", 1, 3, false, true, 0)))
        .isEqualTo(new EvictionPlan(List.of(), false, 0));
  }

  @Test
  void holdsItsPromisesForAllCachesOfTwoDatasetsAndManyOfMore() {
    List<Cached> kinds = kinds();
    for (Cached first : kinds) {
      check(List.of(first));
      kinds.forEach(second -> check(List.of(first, withId(second, 2))));
    }
    Random random = new Random(seed());
    for (int i = 0; i < 3_000; i++) {
      List<Cached> held = new ArrayList<>();
      for (int id = 1; id <= 3 + i % 4; id++) {
        held.add(withId(kinds.get(random.nextInt(kinds.size())), id));
      }
      check(held);
    }
  }

  private static void check(List<Cached> held) {
    checkLate(held);
    checkEarly(held);
    checkWaited(held);
    checkExact(held);
  }

  private static long seed() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("EvictionTest seed " + seed);
    return seed;
  }

  private static void checkLate(List<Cached> held) {
    List<Integer> evicted = Eviction.late(held, ONE_EACH);
    List<Cached> left = held.stream().filter(d -> !evicted.contains(d.id())).toList();
    for (Cached dataset : held) {
      if (evicted.contains(dataset.id())) {
        assertThat(dataset.flush()).as("%s of %s", dataset, held).isNotEqualTo(FlushState.WANTED);
        assertThat(!usable(dataset) && dataset.standing() != Standing.PASSED_OVER || !dataset.checkpoint()
            || dataset.flush() == FlushState.DONE || isReplacedBy(left, held, dataset)
            || dataset.standing() == Standing.PASSED_OVER && isOutdated(held, dataset))
            .as("%s of %s", dataset, held).isTrue();
      }
    }
    assertThat(Eviction.late(left, ONE_EACH)).as("twice: %s", held).isEmpty();
    for (String store : ONE_EACH.keySet()) {
      // beyond the count stays only what survives more losses than all newer ones, or must be flushed
      long more = left.stream().filter(d -> usable(d) && d.store().equals(store) && d.flush() == FlushState.NOT_WANTED)
          .filter(d -> isReplacedBy(left, left, d)).count();
      assertThat(more).as("%s", held).isLessThanOrEqualTo(1);
    }
  }

  /** When flushes have had their time, those of what the restart has passed over hold nothing; output stays. */
  private static void checkWaited(List<Cached> held) {
    List<Cached> given = held.stream().map(d -> d.standing() == Standing.PASSED_OVER && d.checkpoint()
        && !d.output() && d.flush() == FlushState.WANTED ? new Cached(d.id(), d.store(), true, d.losses(),
        d.standing(), FlushState.NOT_WANTED, d.bytes()) : d).toList();
    for (long missing = 1; missing <= held.size(); missing++) {
      assertThat(Eviction.early(held, new SpaceDemand("/a", 1, 2, true, false, missing, true))).as("%s", held)
          .isEqualTo(Eviction.early(given, new SpaceDemand("/a", 1, 2, true, false, missing)));
    }
  }

  private static void checkEarly(List<Cached> held) {
    for (int count = 1; count <= 2; count++) {
      for (long missing = 1; missing <= held.size(); missing++) {
        SpaceDemand wanted = new SpaceDemand("/a", 1, count, true, false, missing);
        EvictionPlan room = Eviction.early(held, wanted);
        List<Cached> gone = held.stream().filter(d -> room.evicted().contains(d.id())).toList();
        List<Cached> left = held.stream().filter(d -> !room.evicted().contains(d.id())).toList();
        assertThat(room.missingBytes() > 0 ? gone.isEmpty() : gone.size() >= missing).as("%s", held).isTrue();
        assertThat(gone).allMatch(d -> mayGo(held, d) && d.store().equals("/a"));
        boolean lost = gone.stream().anyMatch(d -> usable(d) && d.flush() != FlushState.DONE
            && !isReplacedBy(left, held, d));
        assertThat(!lost || (room.lastGoes() && count == 1)).as("%s makes room by %s", held, room).isTrue();
      }
    }
  }

  /** With the next dataset the store has its count; the victims are the minimum, and the least valuable. */
  private static void checkExact(List<Cached> held) {
    List<Cached> counted = held.stream().filter(d -> d.store().equals("/a"))
        .filter(d -> d.standing() != Standing.FOREIGN || d.flush() == FlushState.DONE).toList();
    long stays = counted.stream().filter(d -> !mayGo(held, d)).count();
    for (int count = 1; count <= 3; count++) {
      EvictionPlan room = Eviction.early(held, new SpaceDemand("/a", 1, count, false, true, 0));
      List<Cached> gone = held.stream().filter(d -> room.evicted().contains(d.id())).toList();
      int surplus = Math.max(0, counted.size() - (count - 1));
      assertThat(room.tooMany()).as("%s", held).isEqualTo(Math.max(0, stays - (count - 1)));
      assertThat(gone).as("%s", held).hasSize(room.tooMany() > 0 ? 0 : surplus)
          .allMatch(d -> counted.contains(d) && mayGo(held, d));
      boolean lost = gone.stream().anyMatch(d -> isLast(d, held));
      assertThat(room.lastGoes() || !lost).as("%s", held).isTrue();
      assertThat(lost && counted.stream().anyMatch(d -> !gone.contains(d) && d.flush() != FlushState.WANTED
          && !isLast(d, held))).as("%s goes of %s, and what hurts less stays", gone, held).isFalse();
    }
  }

  private static boolean isLast(Cached dataset, List<Cached> held) {
    return usable(dataset) && dataset.flush() != FlushState.DONE && !isReplacedBy(held, held, dataset);
  }

  private static boolean usable(Cached dataset) {
    return dataset.checkpoint()
        && (dataset.standing() == Standing.WHOLE || dataset.standing() == Standing.UNTRIED);
  }

  /** No pending flush holds it, unless a newer one is there already; nor is it another program's only copy. */
  private static boolean mayGo(List<Cached> held, Cached dataset) {
    return dataset.flush() != FlushState.WANTED && !dataset.isOnlyCopyOfOthers()
        || dataset.checkpoint() && dataset.standing() == Standing.PASSED_OVER && isOutdated(held, dataset);
  }

  private static boolean isOutdated(List<Cached> held, Cached dataset) {
    return held.stream().anyMatch(other -> other.checkpoint() && other.standing() == Standing.WHOLE
        && other.id() > dataset.id() && other.flush() == FlushState.DONE);
  }

  /** By one that is left, or in the prefix directory. */
  private static boolean isReplacedBy(List<Cached> left, List<Cached> held, Cached dataset) {
    return held.stream().anyMatch(other -> other.checkpoint() && other.standing() == Standing.WHOLE
        && other.id() > dataset.id() && other.losses() >= dataset.losses()
        && (left.contains(other) || other.flush() == FlushState.DONE));
  }

  private static List<Cached> kinds() {
    List<Cached> kinds = new ArrayList<>();
    for (String store : List.of("/a", "/b")) {
      for (boolean checkpoint : new boolean[] {true, false}) {
        for (int losses = 0; losses <= 1; losses++) {
          for (Standing standing : Standing.values()) {
            for (FlushState flushed : FlushState.values()) {
              kinds.add(new Cached(1, store, checkpoint, losses, standing, flushed, 1));
            }
          }
        }
      }
    }
    return kinds;
  }

  @Test
  void aLongRunOfMixedProtectionAlwaysHasACheckpointThatSurvivesALoss() {
    long seed = seed();
    Random random = new Random(seed);
    List<Cached> held = new ArrayList<>();
    Set<Integer> inPrefix = new HashSet<>();
    int newestProtected = 0;
    for (int id = 1; id <= 2000; id++) {
      int losses = random.nextInt(4) == 0 ? 1 : 0;
      String store = random.nextBoolean() ? "/a" : "/b";
      FlushState flushed = FlushState.values()[random.nextInt(3)];
      held.add(new Cached(id, store, true, losses, Standing.WHOLE, flushed, 1));
      newestProtected = losses == 1 ? id : newestProtected;
      List<Integer> evicted = Eviction.late(held, ONE_EACH);
      int wanted = newestProtected;
      held.stream().filter(d -> d.flush() == FlushState.DONE).forEach(d -> inPrefix.add(d.id()));
      held.removeIf(d -> evicted.contains(d.id()));
      held.replaceAll(d -> d.flush() == FlushState.WANTED && random.nextBoolean()
          ? new Cached(d.id(), d.store(), true, d.losses(), d.standing(), FlushState.DONE, 1) : d);
      assertThat(held).as("seed %d, dataset %d", seed, id).anyMatch(d -> d.id() == held.getLast().id());
      assertThat(wanted == 0 || inPrefix.contains(wanted) || held.stream().anyMatch(d -> d.id() == wanted))
          .as("seed %d: after dataset %d, %d has gone", seed, id, wanted).isTrue();
    }
    assertThat(held.stream().filter(d -> d.flush() != FlushState.WANTED)).hasSizeLessThan(8);
  }

  private static Cached xor(int id) {
    return new Cached(id, "/a", true, 1, Standing.WHOLE, FlushState.NOT_WANTED, 1);
  }

  private static Cached withId(Cached kind, int id) {
    return new Cached(id, kind.store(), kind.checkpoint(), kind.losses(), kind.standing(), kind.flush(),
        kind.bytes());
  }
}
