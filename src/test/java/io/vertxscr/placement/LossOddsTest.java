package io.vertxscr.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.placement.LossOdds.FatalLosses;
import io.vertxscr.placement.LossOdds.SetsOfNodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: docs/odds.md has the figures of the formula, and the formula those of the simulated process. Method: every row
 * of the table; failures and rebuilds drawn at random, where losses are frequent. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
class LossOddsTest {
  private static final long NODES = 1024;
  private static final double HOURS_OF_A_YEAR = 8760;

  private static String row(String scheme, int members, int tolerated, double mtbfYears, double rebuildMinutes) {
    SetsOfNodes sets = new SetsOfNodes(NODES / members, members, tolerated);
    List<String> cells = new ArrayList<>(List.of(scheme, String.valueOf(members),
        String.format(Locale.ROOT, "%.0f", mtbfYears), String.format(Locale.ROOT, "%.0f", rebuildMinutes)));
    for (double flushHours : new double[] {1, 6, 24}) {
      cells.add(String.format(Locale.ROOT, "%.1e", LossOdds.lossBeforeFlush(
          sets, mtbfYears * HOURS_OF_A_YEAR, rebuildMinutes / 60, flushHours)));
    }
    return "| " + String.join(" | ", cells) + " |";
  }

  private static List<String> table() {
    List<String> rows = new ArrayList<>();
    for (double mtbfYears : new double[] {5, 25}) {
      rows.add(row("SINGLE", 1, 0, mtbfYears, 10));
      for (double rebuildMinutes : new double[] {10, 60}) {
        rows.add(row("PARTNER", 2, 1, mtbfYears, rebuildMinutes));
        rows.add(row("XOR", 8, 1, mtbfYears, rebuildMinutes));
        rows.add(row("XOR", 16, 1, mtbfYears, rebuildMinutes));
        rows.add(row("RS, 2", 8, 2, mtbfYears, rebuildMinutes));
      }
    }
    return rows;
  }

  @Test
  void theDocumentHasTheFiguresOfTheFormula() throws IOException {
    List<String> rows = Files.readAllLines(Path.of("docs/odds.md")).stream()
        .filter(line -> line.matches("\\| (SINGLE|PARTNER|XOR|RS).*")).toList();
    assertThat(rows).as(String.join("\n", table())).isEqualTo(table());
  }

  @Test
  void theFormulaIsThatOfTheProcess() {
    long seed = Long.getLong("seed", 20261123);
    System.out.println("LossOddsTest seed " + seed);
    Random random = new Random(seed);
    for (int tolerated = 0; tolerated <= 2; tolerated++) {
      int members = 4;
      double mtbf = 100;
      double rebuild = 1;
      double hours = tolerated == 2 ? 400 : tolerated == 1 ? 100 : 5;
      int lost = 0;
      int runs = 20_000;
      for (int run = 0; run < runs; run++) {
        lost += isLost(random, members, tolerated, mtbf, rebuild, hours) ? 1 : 0;
      }
      double expected = LossOdds.lossBeforeFlush(new SetsOfNodes(1, members, tolerated), mtbf, rebuild, hours);
      assertThat(lost / (double) runs).as("%d tolerated, seed %d", tolerated, seed)
          .isCloseTo(expected, within(0.15 * expected + 0.005));
    }
  }

  /** Rebuilds take an exponential time too, one after the other, as in the chain of the formula. */
  private static boolean isLost(
      Random random, int members, int tolerated, double mtbf, double rebuild, double hours) {
    double now = 0;
    int down = 0;
    while (true) {
      double failures = (members - down) / mtbf;
      double rebuilds = down == 0 ? 0 : 1 / rebuild;
      now += -Math.log(1 - random.nextDouble()) / (failures + rebuilds);
      if (now > hours) {
        return false;
      }
      down += random.nextDouble() * (failures + rebuilds) < failures ? 1 : -1;
      if (down > tolerated) {
        return true;
      }
    }
  }

  /** Every subset of the members of every set of up to nine: the smallest that the scheme does not replace. */
  @ParameterizedTest
  @EnumSource(Scheme.class)
  void fatalLossesAreThoseThatTheSchemeDoesNotReplace(Scheme scheme) {
    for (int members = 1; members <= 9; members++) {
      for (int tolerated = scheme == Scheme.SINGLE ? 0 : 1; tolerated <= Math.max(1, members - 1); tolerated++) {
        if (scheme == Scheme.XOR && tolerated > 1 || scheme == Scheme.SINGLE && tolerated > 0) {
          continue;
        }
        RedundancySet set = new RedundancySet(
            IntStream.range(0, members).boxed().toList(), Math.min(tolerated, members - 1));
        int smallest = members + 1;
        int count = 0;
        for (int bits = 1; bits < 1 << members; bits++) {
          int size = Integer.bitCount(bits);
          if (size <= smallest && !Protection.replaces(scheme, set, ranks(bits))) {
            count = size < smallest ? 1 : count + 1;
            smallest = size;
          }
        }
        assertThat(FatalLosses.of(scheme, members, tolerated)).as("%s %d, %d", scheme, members, tolerated)
            .isEqualTo(new FatalLosses(count, smallest));
        if (scheme == Scheme.XOR || scheme == Scheme.RS) {
          assertThat(FatalLosses.of(scheme, members, tolerated).perHour(5000, 2)).isCloseTo(
              LossOdds.lossesPerHour(members, set.failures(), 5000, 2), withinPercentage(1e-9));
        }
      }
    }
  }

  private static Set<Integer> ranks(int bits) {
    Set<Integer> ranks = new TreeSet<>();
    IntStream.range(0, Integer.SIZE).filter(rank -> (bits >> rank & 1) == 1).forEach(ranks::add);
    return ranks;
  }

  /**
   * Against all states of six nodes: which are down. A node fails at 1 / mtbf; a restart brings all back, at 1 / r. The
   * probability to have come into a state that the scheme does not replace is summed over all numbers of steps.
   */
  @ParameterizedTest
  @CsvSource({"SINGLE,0,6", "SINGLE,0,3", "PARTNER,1,6", "PARTNER,1,3", "PARTNER,2,6", "PARTNER,1,2", "XOR,1,6",
      "XOR,1,3", "XOR,1,2", "RS,2,6", "RS,2,3", "RS,3,6"})
  void theOddsAreThoseOfAllStatesOfTheNodes(Scheme scheme, int tolerated, int members) {
    int nodes = 6;
    double mtbf = 1000;
    double repair = 0.1;
    double hours = 24;
    List<RedundancySet> sets = IntStream.range(0, nodes / members).mapToObj(i -> new RedundancySet(
        IntStream.range(i * members, (i + 1) * members).boxed().toList(), Math.min(tolerated, members - 1))).toList();
    int states = 1 << nodes;
    boolean[] gone = new boolean[states];
    for (int state = 0; state < states; state++) {
      Set<Integer> down = ranks(state);
      gone[state] = sets.stream().anyMatch(set -> !Protection.replaces(scheme, set, down));
    }
    double rate = nodes / mtbf + 1 / repair;
    double[] at = new double[states];
    at[0] = 1;
    double weight = Math.exp(-rate * hours);              // of a number of steps, as they are Poisson distributed
    double found = 0;
    double rest = 1 - weight;
    double lost = 0;
    for (int step = 1; step < 10 * rate * hours; step++) {
      double[] next = new double[states];
      for (int state = 0; state < states; state++) {
        double stays = at[state];
        for (int node = 0; node < nodes; node++) {
          if ((state >> node & 1) == 0) {
            double fails = at[state] / mtbf / rate;
            stays -= fails;
            if (gone[state | 1 << node]) {
              lost += fails;
            } else {
              next[state | 1 << node] += fails;
            }
          }
        }
        double repaired = state == 0 ? 0 : at[state] / repair / rate;
        next[0] += repaired;
        next[state] += stays - repaired;
      }
      at = next;
      weight *= rate * hours / step;
      found += weight * lost;
      rest -= weight;
    }
    assertThat(rest).isCloseTo(0, within(1e-9));
    FatalLosses fatal = FatalLosses.of(scheme, members, Math.min(tolerated, members - 1));
    assertThat(LossOdds.within(hours, sets.size() * fatal.perHour(mtbf, repair)))
        .isCloseTo(found, withinPercentage(2.5));
  }

  @Test
  void moreToleranceAndFasterRebuildsMakeLossesRarer() {
    double xor = LossOdds.lossesPerHour(8, 1, 40_000, 1);
    assertThat(LossOdds.lossesPerHour(8, 2, 40_000, 1)).isLessThan(xor / 1000);
    assertThat(LossOdds.lossesPerHour(8, 1, 40_000, 0.5)).isEqualTo(xor / 2, within(1e-15));
    assertThat(LossOdds.lossesPerHour(8, 0, 40_000, 1)).isEqualTo(8 / 40_000.0);
    assertThatThrownBy(() -> new SetsOfNodes(1, 2, 2)).isInstanceOf(IllegalArgumentException.class);
  }
}
