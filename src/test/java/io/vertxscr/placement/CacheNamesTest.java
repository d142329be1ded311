package io.vertxscr.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: no two files of a rank share a place in the cache. Method: examples, then seeded walks. Replay with -Dseed=N.
 */
class CacheNamesTest {
  @Test
  void aBaseNameThatIsTakenMovesToTheNextNumberedDirectory() {
    assertThat(CacheNames.of(7, List.of("a/x", "b/x", "c/x", "a/y", "y")))
        .containsExactly("rank.7/x", "rank.7/1/x", "rank.7/2/x", "rank.7/y", "rank.7/1/y");
  }

  @Test
  void aNumberAsBaseNameNeverMeetsANumberedDirectory() {
    assertThat(CacheNames.of(0, List.of("1", "x", "d/x"))).containsExactly("rank.0/1", "rank.0/x", "rank.0/2/x");
    assertThat(CacheNames.of(0, List.of("x", "d/x", "1"))).containsExactly("rank.0/x", "rank.0/1/x", "rank.0/1/1");
  }

  @Test
  void twentyThousandFilesOfOneNameGetNamesOfTheirOwnQuickly() {
    CacheNames names = new CacheNames(0);
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      assertThat(seen.add(names.next("d" + i + "/x"))).isTrue();
    }
  }

  @Test
  void noNameIsTakenTwiceOrIsTheDirectoryOfAnotherWhateverTheOrder() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("CacheNamesTest seed " + seed);
    Random random = new Random(seed);
    for (int walk = 0; walk < 500; walk++) {
      List<String> paths = new ArrayList<>();
      for (int i = random.nextInt(30); i >= 0; i--) {
        paths.add("d" + i + "/" + List.of("1", "2", "3", "x", "y", "01", "12345678").get(random.nextInt(7)));
      }
      List<String> names = CacheNames.of(3, paths);
      assertThat(names).as("seed %d, paths %s", seed, paths).doesNotHaveDuplicates();
      for (String name : names) {
        assertThat(names).noneMatch(other -> other.startsWith(name + "/"));
      }
      for (int i = 0; i < names.size(); i++) {
        assertThat(names.get(i)).endsWith(paths.get(i).substring(paths.get(i).indexOf('/')));
      }
    }
  }
}
