package io.vertxscr.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.explain.LossReport.Scene;
import io.vertxscr.explain.LossReport.Use;
import io.vertxscr.explain.RestoreRates.Rate;
import io.vertxscr.flow.restart.Exposure;
import io.vertxscr.flow.restart.Inventory.Held;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.flow.restart.RestartOrder.FlushedCheckpoints;
import io.vertxscr.flow.restart.RestartSources;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Job;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.RestartHistory;
import io.vertxscr.model.Scheme;
import io.vertxscr.placement.Protection;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Goal: work, time and datasets that a loss costs. Method: four nodes in one set; 4 and 5 are checkpoints, 6 is output,
 * 3 and sometimes others are in the prefix directory; one node and two nodes are lost.
 */
class LossReportTest {
  private static final long SECOND_US = 1_000_000;
  private static final Set<String> TWO = Set.of("n0", "n1");
  private static final RestoreRates RATES = new RestoreRates(
      Optional.of(new Rate(100, 4, 2, LocalDateTime.of(2026, 11, 23, 10, 0))), Optional.empty());

  private static DatasetDescriptor dataset(int id) {
    return new DatasetDescriptor(id, "d" + id, id == 6 ? DatasetFlags.OUTPUT : DatasetFlags.CHECKPOINT, id,
        id * SECOND_US, new Job("u", "j", "1", "c"), new DatasetDescriptor.Totals(4, 800));
  }

  private static List<Inventory> caches(Scheme scheme) {
    RedundancySet set = new RedundancySet(List.of(0, 1, 2, 3)).tolerating(Math.max(1, scheme.tolerance()));
    List<Inventory> caches = new ArrayList<>();
    for (int node = 0; node < 4; node++) {
      int rank = node;
      caches.add(new Inventory("n" + node, IntStream.of(4, 5, 6).mapToObj(id -> new Inventory.Dataset(dataset(id),
          new Origin("/p", 4), "/tmp", new RedundancyDescriptor(
              new CheckpointDescriptor(0, true, 1, "NODE", "/tmp", Redundancy.of(scheme, 8), false), 1),
          FlushState.WANTED, List.of(new Held(rank, set, true, Protection.writesRedundancy(scheme, set))))).toList()));
    }
    return caches;
  }

  private static Scene scene(List<Inventory> caches, int... flushed) {
    List<DatasetDescriptor> listed = IntStream.of(flushed).mapToObj(LossReportTest::dataset).toList();
    List<DatasetKey> keys = listed.stream().map(DatasetDescriptor::key).toList();
    RestartSources sources = new RestartSources(caches, "/p", 4, new FlushedCheckpoints(
        listed.stream().filter(one -> one.flags().checkpoint()).toList(), Integer.MAX_VALUE, 6),
        RestartHistory.EMPTY, List.of());
    return new Scene(Exposure.of(sources, List.of("spare")), keys::contains, RATES, 100 * SECOND_US);
  }

  private static LossReport report(Scene scene, Set<String> nodes) {
    return scene.report(scene.exposure().ifLost(nodes));
  }

  @Test
  void aLossThatTheSchemeHoldsCostsTheTimeSinceTheCheckpointAndARebuild() {
    LossReport report = report(scene(caches(Scheme.XOR), 3), Set.of("n2"));
    assertThat(report.costsWork()).isFalse();
    assertThat(report.workLostUs()).isEqualTo(OptionalLong.of(95 * SECOND_US));
    assertThat(report.checkpointsLost()).isEmpty();
    assertThat(report.survive()).containsExactly(dataset(6), dataset(5), dataset(4));
    assertThat(report.gone()).isEmpty();
    assertThat(report.helps()).isEmpty();
    Use use = report.restart().orElseThrow();
    assertThat(use).returns(true, Use::asNow).returns(1, Use::rebuilt).returns(200L, Use::bytes);
    assertThat(use.seconds().orElseThrow()).isEqualTo(8);
  }

  @Test
  void aSpareNodeCostsNothing() {
    Use use = report(scene(caches(Scheme.XOR), 3), Set.of("spare")).restart().orElseThrow();
    assertThat(use).returns(false, Use::brings).returns(0L, Use::bytes);
  }

  @Test
  void aLossBeyondTheSchemeCostsCheckpointsAndOutput() {
    LossReport report = report(scene(caches(Scheme.XOR), 3, 4), TWO);
    assertThat(report.costsWork()).isTrue();
    assertThat(report.workLostUs()).isEqualTo(OptionalLong.of(96 * SECOND_US));
    assertThat(report.checkpointsLost()).containsExactly(dataset(5));
    assertThat(report.survive()).isEmpty();
    assertThat(report.prefixOnly()).containsExactly(dataset(4));
    assertThat(report.gone()).extracting(lost -> lost.dataset().descriptor().id()).containsExactly(6, 5);
    assertThat(report.gone()).allSatisfy(lost -> assertThat(lost.why()).contains("rank 0 are lost"));
    Use use = report.restart().orElseThrow();
    assertThat(use.candidate().cached()).isFalse();
    assertThat(use).returns(false, Use::asNow).returns(800L, Use::bytes);
    assertThat(use.seconds()).as("no fetch was measured").isEmpty();
    assertThat(report.helps()).hasSize(3).anyMatch(help -> help.contains("SCR_FLUSH=1"))
        .anyMatch(help -> help.contains("SCR_COPY_TYPE=RS with SCR_SET_FAILURES=2"));
  }

  @Test
  void withoutAnythingFlushedAllWorkIsLost() {
    LossReport report = report(scene(caches(Scheme.SINGLE)), Set.of("n0"));
    assertThat(report.restart()).isEmpty();
    assertThat(report.workLostUs()).isEmpty();
    assertThat(report.checkpointsLost()).containsExactly(dataset(5), dataset(4));
    assertThat(report.helps()).anyMatch(help -> help.contains("SINGLE tolerates none"));
  }

  /** All of it is in the prefix directory: the same checkpoint, by another way. */
  @Test
  void whatIsFlushedIsNotLost() {
    LossReport report = report(scene(caches(Scheme.XOR), 4, 5, 6), TWO);
    assertThat(report.costsWork()).isFalse();
    assertThat(report.checkpointsLost()).isEmpty();
    assertThat(report.prefixOnly()).containsExactly(dataset(6), dataset(5), dataset(4));
    assertThat(report.restart().orElseThrow().candidate().descriptor()).isEqualTo(dataset(5));
  }

  @Test
  void whatWasLostBeforeIsNotThisLoss() {
    LossReport report = report(scene(caches(Scheme.XOR).subList(2, 4), 3), Set.of("n2"));
    assertThat(report.costsWork()).isFalse();
    assertThat(report.gone()).isEmpty();
    assertThat(report.goneAlready()).extracting(lost -> lost.dataset().descriptor().id()).containsExactly(6, 5, 4);
    assertThat(report.restart().orElseThrow()).returns(true, Use::asNow);
  }

  /** With RS two nodes may go; the third one is told how many losses would be tolerated then. */
  @Test
  void helpNamesOneFailureMoreThanTheSetsTolerate() {
    Scene scene = scene(caches(Scheme.RS), 3);
    assertThat(report(scene, TWO).costsWork()).isFalse();
    assertThat(report(scene, Set.of("n0", "n1", "n2")).helps())
        .anyMatch(help -> help.contains("SCR_SET_FAILURES=3"));
  }
}
