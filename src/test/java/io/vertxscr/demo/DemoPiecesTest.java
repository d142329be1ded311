package io.vertxscr.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.examples.heat.FinalField;
import io.vertxscr.examples.heat.HeatProblem;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: what the demo shows is exact, aligned and plain where it must be. */
class DemoPiecesTest {
  private static final List<String> NODES = List.of("a", "b", "c", "d");

  @TempDir private Path directory;

  @Test
  void theTableIsAlignedAndFitsIntoEightyColumns() {
    DemoTable table = new DemoTable();
    table.add("short", 0, 0.0004);
    table.add("x".repeat(100), 123_456_789_012L, 12.5);
    table.add("no time at all", 1, 0);
    List<String> lines = table.text().lines().toList();
    assertThat(lines).hasSize(5).allSatisfy(line -> assertThat(line).hasSize(76));
    assertThat(lines.get(2)).startsWith("short ").endsWith("-     0.000        -");
    assertThat(lines.get(3)).endsWith("  123,456,789,012    12.500     9.88");
    assertThat(lines.get(4)).endsWith("1     0.000        -");
  }

  @Test
  void everyByteThatDiffersIsFoundWithItsCell() throws Exception {
    byte[] bytes = new byte[3 * 3 * 8];
    Path expected = write("expected", bytes);
    assertThat(compare(expected, write("same", bytes))).isEqualTo(new DemoVerdict(true, "identical"));
    for (int at = 0; at < bytes.length; at++) {
      byte[] other = bytes.clone();
      other[at] = 1;
      DemoVerdict verdict = compare(expected, write("other", other));
      int cell = at / 8;
      assertThat(verdict).isEqualTo(
          new DemoVerdict(false, "different: first in row " + cell / 3 + ", column " + cell % 3));
    }
  }

  @Test
  void colourIsOnlyForThoseWhoWantIt() {
    assertThat(printed(false)).doesNotContain("\u001b").matches("(?s) +\\d+\\.\\d\\d s  dead\\R");
    assertThat(printed(true)).contains("\u001b[31;1mdead\u001b[0m");
  }

  @Test
  void ranksKeepTheirPlacesButForThoseOfTheVictim() {
    DemoPlan plan = plan(8, "c", 2);
    assertThat(plan.firstPlaces()).containsExactly("a", "a", "b", "b", "c", "c", "d", "d");
    assertThat(plan.secondPlaces()).containsExactly("a", "a", "b", "b", "e", "e", "d", "d");
    assertThat(plan(6, "a", 2).firstPlaces()).containsExactly("a", "a", "b", "c", "c", "d");
    assertThat(plan(8, List.of("d", "a"), List.of("e", "f"), 2))
        .satisfies(two -> assertThat(two.secondPlaces()).containsExactly("f", "f", "b", "b", "c", "c", "e", "e"))
        .satisfies(two -> assertThat(two.victimRanks()).containsExactly(0, 1, 6, 7));
  }

  @Test
  void whatCannotBeLostIsToldInNumbers() {
    for (int victims : new int[] {-1, 0, 4, 9}) {
      assertThatThrownBy(() -> DemoPlan.of(8, 4, victims, new HeatProblem(2048, 400, 40), directory))
          .hasMessage(victims + " of 4 nodes cannot be lost: at least 1, at most 3, for the others go on");
    }
  }

  @Test
  void aLongWaitShowsThatItLives() throws Exception {
    CountDownLatch asked = new CountDownLatch(3);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    var progress = new DemoProgress(new PrintStream(bytes, true, StandardCharsets.UTF_8), false);
    try (DemoWait _ = new DemoWait(progress, () -> {
      asked.countDown();
      return "rank " + asked.getCount();
    }, 1)) {
      assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("waiting for rank 2", "still waiting for rank 1");
  }

  @Test
  void thoseInTheMiddleDieInTheMiddle() {
    DemoPlan plan = DemoPlan.of(8, 4, 1, new HeatProblem(2048, 400, 40), directory);
    assertThat(plan.killStep()).isEqualTo(200);
    assertThat(plan.victims()).containsExactly("node2");
    assertThat(plan.allNodes()).containsExactly("node0", "node1", "node2", "node3", "node4");
    assertThat(DemoPlan.of(8, 4, 3, new HeatProblem(2048, 400, 40), directory).victims())
        .containsExactly("node1", "node2", "node3");
    assertThatThrownBy(() -> DemoPlan.of(8, 4, 4, new HeatProblem(2048, 400, 40), directory))
        .hasMessageContaining("at most 3");
  }

  @Test
  void aPlanThatCannotHappenIsRefused() {
    assertThatThrownBy(() -> plan(8, "e", 2)).hasMessageContaining("victims");
    assertThatThrownBy(() -> plan(8, List.of("a"), List.of("b"), 2)).hasMessageContaining("victims");
    assertThatThrownBy(() -> plan(8, List.of("a", "b"), List.of("e"), 2)).hasMessageContaining("victims");
    assertThatThrownBy(() -> plan(8, List.of(), List.of(), 2)).hasMessageContaining("victims");
    assertThatThrownBy(() -> plan(3, "a", 2)).hasMessageContaining("every node needs a rank");
    assertThatThrownBy(() -> plan(8, "a", 0)).hasMessageContaining("middle of the run");
    assertThatThrownBy(() -> plan(8, "a", 4)).hasMessageContaining("middle of the run");
  }

  private DemoPlan plan(int ranks, String victim, int killAfter) {
    return plan(ranks, List.of(victim), List.of("e"), killAfter);
  }

  private DemoPlan plan(int ranks, List<String> victims, List<String> spares, int killAfter) {
    return new DemoPlan(ranks, NODES, victims, spares, killAfter, new HeatProblem(16, 40, 10), directory);
  }

  private static String printed(boolean colour) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new DemoProgress(new PrintStream(bytes, true, StandardCharsets.UTF_8), colour).alarm("dead");
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private Path write(String name, byte[] bytes) throws Exception {
    Path output = Files.createDirectories(directory.resolve(name));
    Files.write(output.resolve("rows_0_3.f64"), bytes);
    return output;
  }

  private static DemoVerdict compare(Path expected, Path found) throws Exception {
    return DemoVerdict.compare(FinalField.open(expected, 3), FinalField.open(found, 3));
  }
}
