package io.vertxscr.flow.paths;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.flow.gather.NodeContribution;
import io.vertxscr.flow.paths.NodePaths.Second;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.SmallRank;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Goal: every path that ranks of two nodes have in one gather is found, and no other. */
class CarriedPathsTest {
  private static NodeContribution<List<SmallRank>> from(String node, SmallRank... ranks) {
    return new NodeContribution<>(node, List.of(ranks));
  }

  private static SmallRank rank(int rank, String... paths) {
    return SmallRank.onlyPaths(new RankFiles(rank, Stream.of(paths)
        .map(path -> new FileMeta("rank." + rank + "/" + path, path, 1, OptionalInt.empty())).toList()));
  }

  @Test
  void aPathOfTwoNodesIsToldWithBothRanks() {
    List<Second> seconds = CarriedPaths.seconds(List.of(
        from("a", rank(0, "x", "own"), rank(1, "y")), from("b", rank(2, "y"), rank(3, "x", "z")), from("c")));
    assertThat(seconds).containsExactly(
        new Second("y", new NodeContribution<>("b", 2), new NodeContribution<>("a", 1)),
        new Second("x", new NodeContribution<>("b", 3), new NodeContribution<>("a", 0)));
    assertThat(Second.refusal(seconds)).isEqualTo("y is written by rank 1 on node a and by rank 2 on node b"
        + " (and 1 more): in the cache each rank has its own files; to write one file from several ranks use"
        + " SCR_CACHE_BYPASS=1");
  }

  @Test
  void pathsOfOneNodeAreItsOwnMatter() {
    List<Second> seconds =
        CarriedPaths.seconds(List.of(from("a", rank(0, "x"), rank(1, "x")), from("b", rank(2, "y"))));
    assertThat(seconds).isEmpty();
    assertThat(Second.refusal(seconds)).isEmpty();
  }
}
