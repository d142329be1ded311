package io.vertxscr.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.explain.Diagnosis.Verdict;
import io.vertxscr.explain.Evidence.InPrefix;
import io.vertxscr.flow.restart.Inventory.Held;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.placement.Protection;
import io.vertxscr.placement.RedundancySets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: verdict, missing ranks and risk are right for every loss. Method: every subset of the nodes of a small dataset,
 * compared with what the scheme promises for the sets.
 */
class DiagnosisTest {
  private static final int NODES = 4;
  private static final int RANKS = 8;
  private static final DatasetDescriptor DATASET = new DatasetDescriptor(6, "b.6", DatasetFlags.CHECKPOINT, 6, 1,
      new Job("u", "j", "1", "c"), new DatasetDescriptor.Totals(8, 800));
  private static final InPrefix ABSENT = new InPrefix.Absent(false);
  private static final RankMap MAP = new RankMap(IntStream.range(0, RANKS).mapToObj(rank -> "n" + rank / 2).toList());
  private static final List<RedundancySet> SETS = RedundancySets.of(MAP.nodes(), NODES);

  @ParameterizedTest
  @EnumSource(Scheme.class)
  void everySubsetOfNodesIsJudgedAsTheSchemePromises(Scheme scheme) {
    for (int there = 0; there < 1 << NODES; there++) {
      Diagnosis diagnosis = Diagnosis.of(seen(ABSENT, caches(scheme, there)));
      Set<Integer> lost = ranksLost(there);
      boolean possible = possible(scheme, there);
      assertThat(diagnosis.verdict()).as(scheme + " " + there).isEqualTo(possible ? Verdict.IN_CACHES : Verdict.LOST);
      if (possible) {
        assertThat(diagnosis.lost()).isEmpty();
      } else {
        assertThat(diagnosis.lost().keySet()).isNotEmpty().isSubsetOf(lost);
        assertThat(diagnosis.next()).anyMatch(next -> next.contains("'b.5'"));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Scheme.class)
  void theRiskIsWhatEveryFurtherLossWouldDo(Scheme scheme) {
    for (int there = 1; there < 1 << NODES; there++) {
      if (!possible(scheme, there)) {
        continue;
      }
      Diagnosis.Risk risk = Diagnosis.of(seen(ABSENT, caches(scheme, there))).risk();
      List<List<String>> one = fatal(scheme, there, 1);
      List<List<String>> two = fatal(scheme, there, 2);
      assertThat(risk.anyNodes()).as(scheme + " " + there).isEqualTo(!one.isEmpty() ? 0 : two.isEmpty() ? 2 : 1);
      assertThat(risk.fatal()).containsExactlyInAnyOrderElementsOf(!one.isEmpty() ? one : two);
    }
  }

  @Test
  void whatIsInThePrefixDirectoryCountsWhateverTheCachesHave() {
    Diagnosis good = Diagnosis.of(seen(new InPrefix.Complete(List.of(), new TreeMap<>(), true, false), List.of()));
    assertThat(good).returns(Verdict.PUBLISHED, Diagnosis::verdict).returns(List.of(), Diagnosis::next);

    Diagnosis unlisted = Diagnosis.of(seen(new InPrefix.Complete(List.of(), new TreeMap<>(), false, false), List.of()));
    assertThat(unlisted.next()).containsExactly("scr index --add 6 puts it into the index");

    Diagnosis failed = Diagnosis.of(seen(new InPrefix.Complete(List.of(), new TreeMap<>(), true, true), List.of()));
    assertThat(failed.reasons()).contains("a fetch or a verification has found it damaged: restarts pass it over");

    assertThat(failed.verdict()).isEqualTo(Verdict.DAMAGED);
    assertThat(failed.lost()).isEmpty();
    assertThat(Diagnosis.of(seen(new InPrefix.Complete(List.of(), new TreeMap<>(), true, true),
        caches(Scheme.XOR, 0b1111))).verdict()).isEqualTo(Verdict.IN_CACHES);

    Diagnosis bad = Diagnosis.of(seen(new InPrefix.Complete(
        List.of("rank 3: x is missing"), new TreeMap<>(Map.of(3, "x is missing")), true, false), List.of()));
    assertThat(bad.lost()).isEqualTo(Map.of(3, "x is missing"));
    assertThat(bad.verdict()).isEqualTo(Verdict.LOST);
    assertThat(bad.reasons()).contains("rank 3: x is missing");

    Diagnosis damaged = Diagnosis.of(seen(new InPrefix.Damaged("its map is torn", false), caches(Scheme.XOR, 0b1111)));
    assertThat(damaged.verdict()).isEqualTo(Verdict.IN_CACHES);
    assertThat(damaged.reasons()).contains("its map is torn");
  }

  @Test
  void whatWasScavengedCountsBeforeTheCaches() {
    Inventory all = inventory("prefix", Scheme.XOR, IntStream.range(2, RANKS).boxed().toList());
    Diagnosis diagnosis = Diagnosis.of(new Evidence(DATASET, RANKS, ABSENT, Optional.of(all), List.of(),
        Optional.empty()));
    assertThat(diagnosis.verdict()).isEqualTo(Verdict.SCAVENGED);
    assertThat(diagnosis.next()).containsExactly("scr index --add 6 rebuilds what is missing and publishes it");

    Inventory half = inventory("prefix", Scheme.XOR, IntStream.range(4, RANKS).boxed().toList());
    diagnosis = Diagnosis.of(new Evidence(DATASET, RANKS, ABSENT, Optional.of(half), caches(Scheme.XOR, 0b0001),
        Optional.empty()));
    assertThat(diagnosis.verdict()).isEqualTo(Verdict.LOST);
    assertThat(diagnosis.lost().keySet()).containsExactly(0, 1, 2, 3);
  }

  @Test
  void anotherDatasetOfThatNumberIsNotTakenForIt() {
    var other = new DatasetDescriptor(6, "b.6", DatasetFlags.CHECKPOINT, 6, 2, DATASET.job(), DATASET.totals());
    Diagnosis diagnosis = Diagnosis.of(new Evidence(other, RANKS, ABSENT, Optional.empty(),
        caches(Scheme.XOR, 0b1111), Optional.empty()));
    assertThat(diagnosis.verdict()).isEqualTo(Verdict.LOST);
    assertThat(diagnosis.reasons()).contains("none of the caches that were looked at has anything of it");
  }

  private static Evidence seen(InPrefix prefix, List<Inventory> caches) {
    return new Evidence(DATASET, RANKS, prefix, Optional.empty(), caches, Optional.of("b.5"));
  }

  private static List<List<String>> fatal(Scheme scheme, int there, int losses) {
    List<List<String>> fatal = new ArrayList<>();
    for (int lost = 1; lost < 1 << NODES; lost++) {
      if (Integer.bitCount(lost) == losses && (lost & there) == lost && !possible(scheme, there & ~lost)) {
        int of = lost;
        fatal.add(IntStream.range(0, NODES).filter(node -> (of >> node & 1) == 1).mapToObj(node -> "n" + node)
            .toList());
      }
    }
    return fatal;
  }

  private static boolean possible(Scheme scheme, int there) {
    Set<Integer> lost = ranksLost(there);
    return lost.isEmpty() || SETS.stream().allMatch(set -> Protection.replaces(scheme, set, lost));
  }

  private static Set<Integer> ranksLost(int there) {
    Set<Integer> lost = new TreeSet<>();
    IntStream.range(0, RANKS).filter(rank -> (there >> rank / 2 & 1) == 0).forEach(lost::add);
    return lost;
  }

  private static List<Inventory> caches(Scheme scheme, int there) {
    return IntStream.range(0, NODES).filter(node -> (there >> node & 1) == 1)
        .mapToObj(node -> inventory("n" + node, scheme, List.of(2 * node, 2 * node + 1))).toList();
  }

  private static Inventory inventory(String node, Scheme scheme, List<Integer> ranks) {
    List<Held> held = ranks.stream().map(rank -> {
      RedundancySet set = SETS.stream().filter(s -> s.ranks().contains(rank)).findFirst().orElseThrow();
      return new Held(rank, set, true, Protection.writesRedundancy(scheme, set));
    }).toList();
    return new Inventory(node, List.of(new Inventory.Dataset(
        DATASET, new Origin("/p", RANKS), "/ssd", new RedundancyDescriptor(
            new CheckpointDescriptor(0, true, 1, "NODE", "/ssd", Redundancy.of(scheme, 4), false), 1),
        FlushState.WANTED, held)));
  }
}
