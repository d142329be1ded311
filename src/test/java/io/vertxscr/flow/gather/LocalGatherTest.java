package io.vertxscr.flow.gather;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: each round has every rank once. Method: seeded walks against a plain map, with calls that do not belong. */
class LocalGatherTest {
  @Test
  void everyRoundHasEachRankOnceInTheirOrder() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("LocalGatherTest -Dseed=" + seed);
    Random random = new Random(seed);
    TreeSet<Integer> ranks = new TreeSet<>(List.of(3, 4, 9, 17));
    LocalGather gather = new LocalGather(ranks);
    Map<Integer, RankCall> model = new TreeMap<>();
    for (int i = 0; i < 5_000; i++) {
      int rank = random.nextInt(20);
      RankCall call = call(rank, Step.values()[random.nextInt(3)]);
      if (!ranks.contains(rank) || model.containsKey(rank)) {
        assertThatThrownBy(() -> gather.arrive(call)).isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("rank " + rank);
      } else {
        model.put(rank, call);
        Optional<List<RankCall>> all = gather.arrive(call);
        if (model.size() == ranks.size()) {
          assertThat(all).contains(new ArrayList<>(model.values()));
          model.clear();
        } else {
          assertThat(all).isEmpty();
        }
      }
      List<Integer> missing = new ArrayList<>(model.isEmpty() ? List.of() : ranks);
      missing.removeAll(model.keySet());
      assertThat(gather.missing()).isEqualTo(missing);
      assertThat(gather.waitingIn()).isEqualTo(model.values().stream().findFirst().map(RankCall::step));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void aDisagreementNamesARankForEachOpinion(int odd) {
    List<RankCall> calls = new ArrayList<>();
    for (int rank = 0; rank < 6; rank++) {
      calls.add(new RankCall(rank, Step.START_OUTPUT, rank == odd ? "b" : "a", 1, true));
    }
    String other = odd == 0 ? "rank 1 called start-output \"a\"" : "rank " + odd + " called start-output \"b\"";
    assertThat(LocalGather.disagreement(calls)).hasValueSatisfying(
        words -> assertThat(words).startsWith("rank 0 called start-output").contains(other));
  }

  @Test
  void ranksAgreeOnStepNameAndFlagsAndMayDifferInWhatIsValid() {
    RankCall call = new RankCall(0, Step.START_OUTPUT, "a", 1, true);
    assertThat(LocalGather.disagreement(List.of(call, new RankCall(1, Step.START_OUTPUT, "a", 1, true)))).isEmpty();
    assertThat(LocalGather.disagreement(List.of(call, new RankCall(1, Step.START_OUTPUT, "a", 3, true)))).isPresent();
    assertThat(LocalGather.disagreement(List.of(call, call(1, Step.FINALIZE)))).isPresent();
    // A name that looks like the sentence around it is still another name.
    assertThat(LocalGather.disagreement(List.of(
        call, new RankCall(1, Step.START_OUTPUT, "a\" flags 1", 1, true)))).isPresent();
    assertThat(LocalGather.disagreement(List.of(new RankCall(0, Step.COMPLETE_OUTPUT, "", 0, true),
        new RankCall(1, Step.COMPLETE_OUTPUT, "", 0, false)))).isEmpty();
  }

  private static RankCall call(int rank, Step step) {
    return new RankCall(rank, step, "", 0, true);
  }
}
