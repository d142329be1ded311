package io.vertxscr.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.vertxscr.placement.LossOdds.SetsOfNodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

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

  @Test
  void moreToleranceAndFasterRebuildsMakeLossesRarer() {
    double xor = LossOdds.lossesPerHour(8, 1, 40_000, 1);
    assertThat(LossOdds.lossesPerHour(8, 2, 40_000, 1)).isLessThan(xor / 1000);
    assertThat(LossOdds.lossesPerHour(8, 1, 40_000, 0.5)).isEqualTo(xor / 2, within(1e-15));
    assertThat(LossOdds.lossesPerHour(8, 0, 40_000, 1)).isEqualTo(8 / 40_000.0);
    assertThatThrownBy(() -> new SetsOfNodes(1, 2, 2)).isInstanceOf(IllegalArgumentException.class);
  }
}
