package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.Scheme;
import io.vertxscr.timing.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: every loss within the tolerance is survived with all bytes, one more is refused cleanly. */
class LossesTest extends EmbeddedTest {
  private static final String[] RANKS = {"n1", "n1", "n2", "n2", "n3", "n3", "n4", "n4"};

  private TestCluster cluster(TestCluster.Setup setup) throws Exception {
    return new TestCluster(vertx, directory, setup, "n1", "n2", "n3", "n4");
  }

  private static String[] with(String spare, String... lost) {
    return Stream.of(RANKS).map(node -> List.of(lost).contains(node) ? spare : node).toArray(String[]::new);
  }

  static Stream<Arguments> singleLosses() {
    return Stream.of(Scheme.XOR, Scheme.PARTNER).flatMap(scheme -> Stream.of("n1", "n2", "n3", "n4").map(node ->
        Arguments.of(scheme, node)));
  }

  @ParameterizedTest
  @MethodSource("singleLosses")
  void aLostNodeIsRebuiltOnASpareAndASecondLossIsSurvived(Scheme scheme, String lost)
      throws Exception {
    try (TestCluster cluster = cluster(TestCluster.Setup.of(scheme))) {
      assertThat(cluster.steps(1, 2, RANKS)).isZero();
      cluster.lose(lost);
      cluster.nodes().start("n5");
      String[] once = with("n5", lost);
      assertThat(cluster.restart(once)).isEqualTo(2);
      cluster.awaitProtected(Arrays.stream(once).distinct().toArray(String[]::new));
      String second = lost.equals("n2") ? "n3" : "n2";
      cluster.lose(second);
      cluster.nodes().start("n6");
      String[] twice = Arrays.stream(once).map(node -> node.equals(second) ? "n6" : node).toArray(String[]::new);
      assertThat(cluster.restart(twice)).isEqualTo(2);
    }
  }

  @Test
  void theLostNodeComesBackEmptyUnderItsOwnName() throws Exception {
    try (TestCluster cluster = cluster(TestCluster.Setup.of(Scheme.XOR))) {
      cluster.steps(1, 2, RANKS);
      for (String lost : List.of("n3", "n1")) {
        cluster.lose(lost);
        cluster.nodes().start(lost);
        assertThat(cluster.restart(RANKS)).isEqualTo(2);
        cluster.awaitProtected("n1", "n2", "n3", "n4");
      }
    }
  }

  @Test
  void ranksThatComeBackOnOtherNodesFindTheirFiles() throws Exception {
    try (TestCluster cluster = cluster(TestCluster.Setup.of(Scheme.XOR))) {
      cluster.steps(1, 1, RANKS);
      List<String> permuted = new ArrayList<>(List.of(RANKS));
      Collections.rotate(permuted, 3);
      String[] moved = permuted.toArray(String[]::new);
      assertThat(cluster.restart(moved)).isEqualTo(1);
      cluster.awaitProtected("n1", "n2", "n3", "n4");
      cluster.lose("n2");
      cluster.nodes().start("n5");
      assertThat(cluster.restart(moved(moved, "n2", "n5"))).isEqualTo(1);
    }
  }

  private static String[] moved(String[] ranks, String lost, String spare) {
    return Arrays.stream(ranks).map(node -> node.equals(lost) ? spare : node).toArray(String[]::new);
  }

  @Test
  void twoNodesOfOneSetLostAreRefusedAndTheFlushedDatasetIsUsed() throws Exception {
    try (TestCluster cluster = cluster(TestCluster.Setup.of(Scheme.XOR).cached(2).flushing(2, false))) {
      // finalize brings the newest to the prefix directory; a run that ends without it does not
      EmbeddedRun.all(cluster.run(RANKS).start(scr -> {
        for (int step = 1; step <= 3; step++) {
          RankProgram.checkpoint(scr, cluster.prefix(), step, 3);
        }
        return 0;
      }));
      // on a disk it stays until all nodes have synced what replaces it
      Eventually.holds("the eviction of 1", () -> cluster.held("n1").equals(List.of(2, 3)));
      cluster.lose("n2");
      cluster.lose("n4");
      cluster.nodes().start("n5");
      assertThat(cluster.restart(with("n5", "n2", "n4"))).isEqualTo(2);
      assertThat(cluster.held("n1")).as("3 as well: its nodes may come back").containsExactly(2, 3);
    }
  }

  @Test
  void withoutAnyCheckpointTheRunStartsWithoutOne() throws Exception {
    try (TestCluster cluster = cluster(TestCluster.Setup.of(Scheme.XOR))) {
      cluster.steps(1, 1, RANKS);
      cluster.lose("n2");
      cluster.lose("n4");
      cluster.nodes().start("n5");
      assertThat(cluster.steps(2, 2, with("n5", "n2", "n4"))).isZero();
      assertThat(cluster.restart(with("n5", "n2", "n4"))).isEqualTo(2);
    }
  }

  @Test
  void statusTellsWhatIsMissingAndWhetherItCanBeRebuiltUntilItIs() throws Exception {
    try (TestCluster cluster = cluster(TestCluster.Setup.of(Scheme.XOR))) {
      cluster.steps(1, 1, RANKS);
      assertThat(cluster.status("n1").getJsonArray("gaps")).isEmpty();
      cluster.lose("n2");
      assertThat(cluster.status("n1").getJsonArray("gaps").getJsonObject(0)).isEqualTo(new JsonObject("""
          {"dataset": 1, "name": "step-1", "missing": [2, 3], "lost": ""}"""));
      cluster.nodes().start("n5");
      assertThat(cluster.restart(with("n5", "n2"))).isEqualTo(1);
      assertThat(cluster.status("n1").getJsonArray("gaps")).isEmpty();
      cluster.lose("n3");
      cluster.lose("n4");
      JsonObject gap = cluster.status("n1").getJsonArray("gaps").getJsonObject(0);
      assertThat(gap.getJsonArray("missing")).isEqualTo(new JsonArray(List.of(4, 5, 6, 7)));
      assertThat(gap.getString("lost")).contains("rank 4");
    }
  }

  @Test
  void aDaemonStartedAgainOnItsOldStorageOffersItsCache() throws Exception {
    try (TestCluster cluster = cluster(TestCluster.Setup.of(Scheme.SINGLE))) {
      cluster.steps(1, 2, RANKS);
      for (String node : List.of("n1", "n2", "n3", "n4")) {
        cluster.nodes().kill(node);
        cluster.nodes().start(node);
        assertThat(cluster.held(node)).contains(2);
      }
      assertThat(cluster.restart(RANKS)).isEqualTo(2);
    }
  }

  @Test
  void theWholeClusterStoppedAndStartedGoesOnFromItsCaches() throws Exception {
    try (TestCluster cluster = cluster(TestCluster.Setup.of(Scheme.XOR))) {
      cluster.steps(1, 2, RANKS);
    }
    try (TestCluster cluster = cluster(TestCluster.Setup.of(Scheme.XOR))) {
      assertThat(cluster.steps(3, 3, RANKS)).isEqualTo(2);
      assertThat(cluster.record("n1", 3).descriptor().name()).isEqualTo("step-3");
    }
  }

  /** Elsewhere a flipped byte in a cached or parity file is accepted. */
  @Test
  void aCorruptCachedFileIsRebuiltAndACorruptRedundancyFileReplaced() throws Exception {
    try (TestCluster cluster = cluster(TestCluster.Setup.of(Scheme.XOR))) {
      cluster.steps(1, 1, RANKS);
      flip(cluster.datasetDirectory("n2", 1).resolve(cluster.record("n2", 1).ranks().getFirst().files().files()
          .getFirst().name()), 77);
      assertThat(cluster.restart(RANKS)).isEqualTo(1);
      cluster.awaitProtected("n1", "n2", "n3", "n4");
      flip(cluster.datasetDirectory("n3", 1).resolve(cluster.record("n3", 1).ranks().getFirst().redundancy()
          .orElseThrow()), 9);
      assertThat(cluster.restart(RANKS)).isEqualTo(1);
      cluster.awaitProtected("n1", "n2", "n3", "n4");
      cluster.lose("n1");
      cluster.nodes().start("n5");
      assertThat(cluster.restart(with("n5", "n1"))).isEqualTo(1);
    }
  }

  /** Elsewhere a rebuild from a corrupt survivor makes a second wrong file; here it counts as lost, too. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCorruptSurvivorOfALostNodeMakesNoSecondWrongFile(boolean parity) throws Exception {
    try (TestCluster cluster = cluster(TestCluster.Setup.of(Scheme.XOR).cached(2).flushing(2, false))) {
      EmbeddedRun.all(cluster.run(RANKS).start(EmbeddedRun.withoutFinalize(RANKS.length, scr -> {
        for (int step = 1; step <= 3; step++) {
          RankProgram.checkpoint(scr, cluster.prefix(), step, 3);
        }
        return 0;
      })));
      RankRecord survivor = cluster.record("n2", 3).ranks().getFirst();
      Path damaged = cluster.datasetDirectory("n2", 3).resolve(parity ? survivor.redundancy().orElseThrow()
          : survivor.files().files().getFirst().name());
      flip(damaged, (int) Files.size(damaged) - 5);
      cluster.lose("n4");
      cluster.nodes().start("n5");
      assertThat(cluster.restart(with("n5", "n4"))).as("not from the newest").isEqualTo(2);
    }
  }

  private static void flip(Path file, int offset) throws Exception {
    byte[] bytes = Files.readAllBytes(file);
    bytes[offset] ^= 4;
    Files.write(file, bytes);
  }

  @Test
  void whatTheApplicationCannotReadIsNotOfferedAgain() throws Exception {
    try (TestCluster cluster = cluster(TestCluster.Setup.of(Scheme.XOR).cached(2))) {
      cluster.steps(1, 2, RANKS);
      List<String> offered = cluster.all(scr -> {
        StringBuilder names = new StringBuilder();
        for (var restart = scr.restart(); restart.isPresent(); restart = scr.restart()) {
          names.append(restart.get().name()).append(' ');
          boolean readable = scr.rank() != 5 || restart.get().name().equals("step-0");
          try {
            restart.get().complete(readable);
          } catch (io.vertxscr.model.ScrException e) {
            names.append(e.fault()).append(' ');
          }
        }
        scr.finish();
        return names.toString();
      }, RANKS);
      assertThat(offered).containsOnly("step-2 NOT_VALID step-1 NOT_VALID ");
      assertThat(cluster.restart(RANKS)).isZero();
    }
  }
}
