package io.vertxscr.coding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Goal: any lost data comes out of any as many rows. Method: for small codes EVERY choice of rows and of lost members,
 * for large ones, up to the limit, seeded choices: encode one byte of each member, solve, compare.
 */
class ReedSolomonTest {
  @Test
  void anyRowsGiveBackAnyAsManyLostMembers() {
    for (int members = 1; members <= 8; members++) {
      for (int rows = 1; rows <= 4; rows++) {
        var code = new ReedSolomon(members, rows);
        for (int chosen = 1; chosen < 1 << rows; chosen++) {
          for (int lost = 1; lost < 1 << members; lost++) {
            if (Integer.bitCount(chosen) == Integer.bitCount(lost)) {
              checkSolved(code, bits(chosen), bits(lost), new Random(lost));
            }
          }
        }
      }
    }
  }

  @Test
  void soDoLargeCodesUpToTheLimit() {
    long seed = Long.getLong("seed", System.nanoTime());
    var random = new Random(seed);
    System.out.println("ReedSolomonTest seed " + seed);
    for (int[] shape : new int[][] {{254, 2}, {200, 56}, {128, 128}, {2, 254}, {16, 4}}) {
      var code = new ReedSolomon(shape[0], shape[1]);
      for (int i = 0; i < 30; i++) {
        int lost = 1 + random.nextInt(Math.min(shape[0], shape[1]));
        checkSolved(code, some(lost, shape[1], random), some(lost, shape[0], random), random);
      }
    }
  }

  private static int[] bits(int bits) {
    return IntStream.range(0, Integer.SIZE).filter(i -> (bits >> i & 1) != 0).toArray();
  }

  private static int[] some(int count, int bound, Random random) {
    return random.ints(0, bound).distinct().limit(count).toArray();
  }

  private static void checkSolved(ReedSolomon code, int[] chosen, int[] lost, Random random) {
    int[] data = random.ints(code.members(), 0, 256).toArray();
    int[] rest = Arrays.stream(chosen).map(row -> Arrays.stream(lost)
        .map(member -> Gf256.multiply(code.coefficient(row, member), data[member]))
        .reduce(0, (a, b) -> a ^ b)).toArray();
    int[][] solution = code.solve(chosen, lost);
    for (int i = 0; i < lost.length; i++) {
      int found = 0;
      for (int j = 0; j < chosen.length; j++) {
        found ^= Gf256.multiply(solution[i][j], rest[j]);
      }
      assertThat(found).as("%s rows %s lost %s", code, Arrays.toString(chosen), Arrays.toString(lost))
          .isEqualTo(data[lost[i]]);
    }
  }

  @Test
  void rowZeroIsExclusiveOrAndNoCoefficientIsZero() {
    var code = new ReedSolomon(128, 128);
    for (int member = 0; member < 128; member++) {
      assertThat(code.coefficient(0, member)).isOne();
      for (int row = 0; row < 128; row++) {
        assertThat(code.coefficient(row, member)).isBetween(1, 255);
      }
    }
    assertThat(new ReedSolomon(1000, 1).coefficient(0, 999)).as("no field is needed for one row").isOne();
  }

  /** Existing redundancy files must stay readable: these values are part of their format. */
  @Test
  void theCoefficientsAreTheOnesOfTheFormat() {
    var code = new ReedSolomon(4, 3);
    int[][] matrix = IntStream.range(0, 3).mapToObj(row -> IntStream.range(0, 4)
        .map(member -> code.coefficient(row, member)).toArray()).toArray(int[][]::new);
    assertThat(matrix).isEqualTo(new int[][] {{1, 1, 1, 1}, {166, 70, 187, 123}, {245, 104, 143, 82}});
  }

  @Test
  void refusesWhatTheFieldIsTooSmallFor() {
    assertThatThrownBy(() -> new ReedSolomon(254, 3)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ReedSolomon(0, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ReedSolomon(3, 0)).isInstanceOf(IllegalArgumentException.class);
    var code = new ReedSolomon(3, 2);
    assertThatThrownBy(() -> code.solve(new int[] {0}, new int[] {0, 1})).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> code.coefficient(2, 0)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> code.coefficient(0, 3)).isInstanceOf(IndexOutOfBoundsException.class);
  }
}
