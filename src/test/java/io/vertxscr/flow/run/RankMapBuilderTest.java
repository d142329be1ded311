package io.vertxscr.flow.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RankMapBuilderTest {
  private static final String PREFIX = "/p";
  private static final String JOB = "heat";

  @Test
  void isCompleteWithTheLastRankInWhateverOrderTheyComeAndHoweverOften() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("RankMapBuilderTest -Dseed=" + seed);
    Random random = new Random(seed);
    for (int walk = 0; walk < 200; walk++) {
      int ranks = 1 + random.nextInt(9);
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < ranks * 2; i++) {
        order.add(i % ranks);
      }
      Collections.shuffle(order, random);
      RankMapBuilder forming = new RankMapBuilder("n0", PREFIX, JOB, ranks);
      TreeSet<Integer> here = new TreeSet<>();
      for (int rank : order) {
        forming.join("n" + rank % 3, rank, ranks, PREFIX, JOB);
        here.add(rank);
        assertState(forming, here, ranks);
        if (random.nextInt(4) == 0) {
          forming.leave("n" + (rank + 1) % 3, List.of(rank));
          assertState(forming, here, ranks);
          forming.leave("n" + rank % 3, List.of(rank));
          here.remove(rank);
          assertState(forming, here, ranks);
        }
      }
    }
  }

  private static void assertState(RankMapBuilder forming, TreeSet<Integer> here, int ranks) {
    List<Integer> missing = new ArrayList<>();
    List<String> nodes = new ArrayList<>();
    assertThat(forming.first()).isEqualTo(
        here.isEmpty() ? OptionalInt.empty() : OptionalInt.of(here.first()));
    for (int rank = 0; rank < ranks; rank++) {
      nodes.add("n" + rank % 3);
      if (!here.contains(rank)) {
        missing.add(rank);
      }
    }
    assertThat(forming.joined()).isEqualTo(here.size());
    assertThat(forming.missing(ranks)).isEqualTo(missing);
    assertThat(forming.missing(2)).isEqualTo(missing.subList(0, Math.min(2, missing.size())));
    assertThat(forming.missing(0)).isEmpty();
    assertThat(forming.nodes()).containsExactlyElementsOf(
        new TreeSet<>(here.stream().map(rank -> "n" + rank % 3).toList()));
    if (missing.isEmpty()) {
      assertThat(forming.complete()).contains(new RankMap(nodes));
    } else {
      assertThat(forming.complete()).isEmpty();
    }
  }

  @Test
  void everyRefusalNamesItsCauseAndChangesNothing() {
    RankMapBuilder forming = new RankMapBuilder("n0", PREFIX, JOB, 3);
    forming.join("n0", 0, 3, PREFIX, JOB);
    refuses(forming, Fault.RANKS_DISAGREE, () -> forming.join("n1", 1, 4, PREFIX, JOB),
        "rank 1 on node n1 gives size '4'", "node n0) gave '3'");
    refuses(forming, Fault.RANKS_DISAGREE, () -> forming.join("n1", 1, 3, "/q", JOB),
        "rank 1 on node n1 gives prefix '/q'", "gave '/p'");
    refuses(forming, Fault.RANKS_DISAGREE, () -> forming.join("n1", 1, 3, PREFIX, "other"),
        "rank 1 on node n1 gives job name 'other'", "gave 'heat'");
    for (int rank : new int[] {-1, 3, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      refuses(forming, Fault.UNKNOWN_RANK, () -> forming.join("n1", rank, 3, PREFIX, JOB),
          "rank " + rank + " on node n1", "3 ranks");
    }
    refuses(forming, Fault.DUPLICATE_RANK, () -> forming.join("n1", 0, 3, PREFIX, JOB),
        "rank 0 on node n1", "node n0 has");
    forming.join("n1", 1, 3, PREFIX, JOB);
    forming.join("n1", 2, 3, PREFIX, JOB);
    assertThat(forming.complete()).contains(new RankMap(List.of("n0", "n1", "n1")));
  }

  private static void refuses(RankMapBuilder forming, Fault fault, ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(fault))
        .message().contains(words);
    assertThat(forming.joined()).isEqualTo(1);
    assertThat(forming.nodes()).containsExactly("n0");
    assertThat(forming.missing(9)).containsExactly(1, 2);
    assertThat(forming.complete()).isEmpty();
    assertThat(List.of(forming.prefix(), forming.jobName(), forming.ranks())).isEqualTo(List.of(PREFIX, JOB, 3));
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, Limits.MAX_RANKS + 1, Integer.MAX_VALUE})
  void aRunOfAnImpossibleSizeIsRefused(int ranks) {
    assertThatThrownBy(() -> new RankMapBuilder("n0", PREFIX, JOB, ranks))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_REQUEST))
        .hasMessageContaining(String.valueOf(ranks));
  }
}
