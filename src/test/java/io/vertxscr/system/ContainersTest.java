package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.client.Restart;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.format.prefix.RankFileMap.Segment;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.scavenge.DatasetVerification;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: with SCR_USE_CONTAINERS=1 a dataset goes into containers, and comes back out of them. */
class ContainersTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2", "n1", "n2"};

  private TestCluster cluster(Map<String, String> more) throws IOException {
    Map<String, String> all = new HashMap<>(Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0",
        "SCR_USE_CONTAINERS", "1", "SCR_CONTAINER_SIZE", "4096"));
    all.putAll(more);
    return new TestCluster(vertx, directory, new TestCluster.Setup(all), "n1", "n2");
  }

  private List<RankEntry> map(TestCluster cluster, int id) {
    return new RankMapReader(new PrefixPaths(cluster.prefix()), id)
        .entries(IntStream.range(0, NODES.length).boxed().toList());
  }

  private void restartsFromThePrefix(TestCluster cluster, int expected) throws Exception {
    cluster.deleteAllStorage("n1", "n2");
    assertThat(cluster.restart(NODES)).isEqualTo(expected);
  }

  @Test
  void datasetsAreFlushedIntoContainersAndFetchedFromThem() throws Exception {
    try (TestCluster cluster = cluster(Map.of())) {
      cluster.steps(1, 2, NODES);
      PrefixPaths paths = new PrefixPaths(cluster.prefix());
      assertThat(cluster.prefix().resolve("step-2")).doesNotExist();
      assertThat(paths.dataset(2).resolve(".scr/ctr.0.scr")).isRegularFile();
      assertThat(DatasetVerification.verify(paths, 2).problems()).isEmpty();
      assertThat(DatasetVerification.verify(paths, 2).unverified()).isEmpty();
      try (var left = Files.list(paths.dataset(2).resolve(".scr"))) {
        assertThat(left.map(path -> path.getFileName().toString())).allMatch(name -> name.matches("ctr\\.\\d+\\.scr"));
      }
      restartsFromThePrefix(cluster, 2);
    }
  }

  @Test
  void filesOfANodeFollowEachOtherAndEachNodeBeginsWhereItIsAligned() throws Exception {
    try (TestCluster cluster = cluster(Map.of("SCR_CONTAINER_SIZE", "1MB", "SCR_CONTAINER_ALIGN", "8192"))) {
      cluster.steps(1, 1, NODES);
      List<RankEntry> ranks = map(cluster, 1);
      long ofFirst = offset(ranks.get(0));
      long ofThird = offset(ranks.get(2));
      assertThat(ofFirst).isZero();
      assertThat(ofThird).as("rank 2 is on n1 too").isEqualTo(bytes(ranks.get(0)));
      assertThat(offset(ranks.get(1)) % 8192).isZero();
      assertThat(offset(ranks.get(1))).isGreaterThanOrEqualTo(ofThird + bytes(ranks.get(2)));
      restartsFromThePrefix(cluster, 1);
    }
  }

  private static long offset(RankEntry rank) {
    return rank.files().stream().flatMap(file -> file.segments().stream())
        .mapToLong(Segment::offset).min().orElseThrow();
  }

  private static long bytes(RankEntry rank) {
    return rank.files().stream().mapToLong(file -> file.bytes().orElseThrow()).sum();
  }

  @Test
  void aDamagedContainerMakesItsDatasetFailedAndTheOlderOneIsFetched() throws Exception {
    try (TestCluster cluster = cluster(Map.of())) {
      cluster.steps(1, 2, NODES);
      Path container = new PrefixPaths(cluster.prefix()).dataset(2).resolve(".scr/ctr.0.scr");
      byte[] bytes = Files.readAllBytes(container);
      bytes[bytes.length / 2] ^= 8;
      Files.write(container, bytes);
      assertThat(DatasetVerification.verify(new PrefixPaths(cluster.prefix()), 2).problems()).hasSize(1);
      restartsFromThePrefix(cluster, 1);
    }
  }

  @Test
  void aDatasetThatReplacesAnotherOfItsNameLeavesNoContainerBehind() throws Exception {
    try (TestCluster cluster = cluster(Map.of())) {
      cluster.steps(1, 1, NODES);
      cluster.all(scr -> {
        RankProgram.restart(scr, 3);
        RankProgram.checkpoint(scr, cluster.prefix(), 1, 3);
        scr.finish();
        return 0;
      }, NODES);
      PrefixPaths paths = new PrefixPaths(cluster.prefix());
      assertThat(paths.dataset(1)).doesNotExist();
      assertThat(paths.dataset(2).resolve(".scr/ctr.0.scr")).isRegularFile();
      restartsFromThePrefix(cluster, 1);
    }
  }

  @Test
  void inAGlobalRestartEveryRankOfAnyNumberFindsEveryFileAtItsPath() throws Exception {
    try (TestCluster cluster = cluster(Map.of("SCR_GLOBAL_RESTART", "1"))) {
      cluster.steps(1, 2, NODES);
      cluster.deleteAllStorage("n1", "n2");
      assertThat(cluster.all(scr -> {
        try (Restart restart = scr.restart().orElseThrow()) {
          for (int rank = 0; rank < NODES.length; rank++) {
            Path file = restart.route(cluster.prefix() + "/step-2/rank-" + rank + "-1");
            assertThat(file).startsWith(cluster.prefix()).hasBinaryContent(RankProgram.bytes(rank, 2, 1));
          }
          restart.complete(true);
        }
        scr.finish();
        return 0;
      }, "n1", "n2", "n2")).hasSize(3);
    }
  }

  @Test
  void withFetchBypassADatasetInContainersIsCopiedIntoTheCaches() throws Exception {
    try (TestCluster cluster = cluster(Map.of("SCR_FETCH_BYPASS", "1"))) {
      cluster.steps(1, 2, NODES);
      restartsFromThePrefix(cluster, 2);
    }
  }

  @Test
  void aLaterFlushPacksAsTheDatasetsRunConfigured() throws Exception {
    try (TestCluster cluster = cluster(Map.of("SCR_FLUSH", "0"))) {
      cluster.steps(1, 1, NODES);
      assertThat(cluster.record("n1", 1).origin().flush().containers()).isPresent();
    }
    try (TestCluster cluster = cluster(Map.of("SCR_USE_CONTAINERS", "0", "SCR_FLUSH_ON_RESTART", "1"))) {
      assertThat(cluster.restart(NODES)).isEqualTo(1);
      assertThat(new PrefixPaths(cluster.prefix()).dataset(1).resolve(".scr/ctr.0.scr")).isRegularFile();
      restartsFromThePrefix(cluster, 1);
    }
  }
}
