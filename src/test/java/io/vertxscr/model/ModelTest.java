package io.vertxscr.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.DatasetDescriptor.Totals;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("NullAway")                   // nulls are refused
class ModelTest {
  static void refuses(Fault fault, ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(fault));
  }

  static Stream<String> nodeNames() {
    return Stream.of("a", "0", "node-1.site_x", "N", "a..b", "a".repeat(Limits.MAX_NODE_NAME_CHARS));
  }

  @ParameterizedTest
  @MethodSource("nodeNames")
  void aNodeMayHaveThisName(String name) {
    assertThat(Names.node(name)).isSameAs(name);
  }

  static Stream<String> badNodeNames() {
    return Stream.of(null, "", ".", "..", ".a", "-a", "_a", "a/b", "../a", "a b", "a\n", "\na", "a\0", "ä", "a:b",
        "a\\b", "a".repeat(Limits.MAX_NODE_NAME_CHARS + 1));
  }

  @ParameterizedTest
  @MethodSource("badNodeNames")
  void aNodeMayNotHaveThisName(String name) {
    refuses(Fault.BAD_REQUEST, () -> Names.node(name));
    refuses(Fault.BAD_REQUEST, () -> new NodeInfo(name, "h", "p", 1));
  }

  @Test
  void everyAsciiCharacterInANodeNameIsALetterADigitOrOneOfThree() {
    for (char c = 0; c < 128; c++) {
      String name = "a" + c;
      if (Character.isLetterOrDigit(c) || "._-".indexOf(c) >= 0) {
        assertThat(Names.node(name)).isEqualTo(name);
      } else {
        refuses(Fault.BAD_REQUEST, () -> Names.node(name));
      }
    }
  }

  @Test
  void aDatasetsNameIsPrintableAndShorterThanTheLimit() {
    for (String name : List.of("b.3", "a b", "ä/ö", "x".repeat(Limits.MAX_NAME_CHARS - 1))) {
      assertThat(Names.dataset(name)).isSameAs(name);
    }
    refuses(Fault.BAD_REQUEST, () -> Names.dataset(null));
    for (String name : List.of("", "a\nb", "a\0", "\u0085", "\u007f", "x".repeat(Limits.MAX_NAME_CHARS))) {
      refuses(Fault.BAD_REQUEST, () -> Names.dataset(name));
      refuses(Fault.BAD_REQUEST, () -> descriptor(1, name));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void idsOfDatasetsCountFromOne(int id) {
    refuses(Fault.BAD_REQUEST, () -> descriptor(id, "a"));
  }

  private static DatasetDescriptor descriptor(int id, String name) {
    return new DatasetDescriptor(id, name, DatasetFlags.OUTPUT, 0, 1, new Job("", "", "", ""), Totals.NONE);
  }

  @Test
  void totalsAreAddedToADescriptorAndNothingElseChanges() {
    DatasetDescriptor known = descriptor(3, "a").with(new Totals(2, 9));
    assertThat(known.totals()).isEqualTo(new Totals(2, 9));
    assertThat(known.with(Totals.NONE)).isEqualTo(descriptor(3, "a"));
  }

  @Test
  void ofWhateverRanksANodeHoldsInAnyOrderExactlyThoseAreFound() {
    for (int subset = 0; subset < 64; subset++) {
      int held = subset;
      List<DatasetRecord.RankRecord> ranks = IntStream.of(3, 0, 5, 1, 4, 2).filter(rank -> (held >> rank & 1) == 1)
          .mapToObj(rank -> new DatasetRecord.RankRecord(new RankFiles(rank, List.of()), null, Optional.empty()))
          .toList();
      DatasetRecord record = new DatasetRecord(descriptor(1, "a"), null, null, null, null, ranks);
      for (int rank = 0; rank < 7; rank++) {
        assertThat(record.rank(rank).map(found -> found.files().rank()))
            .isEqualTo((held >> rank & 1) == 1 ? Optional.of(rank) : Optional.empty());
      }
    }
  }

  @Test
  void flagsAreTheBitsOfTheApi() {
    assertThat(DatasetFlags.ofBits(1)).isEqualTo(DatasetFlags.CHECKPOINT);
    assertThat(DatasetFlags.ofBits(2)).isEqualTo(DatasetFlags.OUTPUT);
    assertThat(DatasetFlags.ofBits(3)).isEqualTo(DatasetFlags.CHECKPOINT_AND_OUTPUT);
    for (int bits = -8; bits < 16; bits++) {
      int value = bits;
      assertThat(DatasetFlags.areBits(bits)).isEqualTo(List.of(1, 2, 3, 5, 7).contains(bits));
      if (DatasetFlags.areBits(bits)) {
        assertThat(DatasetFlags.ofBits(bits).bits()).isEqualTo(bits);
      } else {
        refuses(Fault.BAD_REQUEST, () -> DatasetFlags.ofBits(value));
      }
    }
    assertThat(DatasetFlags.ofBits(5)).isEqualTo(DatasetFlags.SHARDS);
    refuses(Fault.BAD_REQUEST, () -> new DatasetFlags(false, false));
    refuses(Fault.BAD_REQUEST, () -> new DatasetFlags(false, true, true));
  }

  /** Numbers travel between versions: a change here is a change of the wire. */
  @Test
  void numbersOfFaultsNeverChange() {
    Map<Fault, Integer> pinned = Map.ofEntries(
        Map.entry(Fault.INTERNAL, 1), Map.entry(Fault.BAD_REQUEST, 2), Map.entry(Fault.WRONG_STATE, 3),
        Map.entry(Fault.UNKNOWN_RANK, 4), Map.entry(Fault.DUPLICATE_RANK, 5), Map.entry(Fault.RANKS_DISAGREE, 6),
        Map.entry(Fault.OUTSIDE_PREFIX, 7), Map.entry(Fault.NO_SUCH_FILE, 8), Map.entry(Fault.NO_SUCH_DATASET, 9),
        Map.entry(Fault.RUN_IN_PROGRESS, 10), Map.entry(Fault.RANK_LOST, 11), Map.entry(Fault.NODE_LOST, 12),
        Map.entry(Fault.BUSY, 13), Map.entry(Fault.TIMEOUT, 14), Map.entry(Fault.NO_SPACE, 15),
        Map.entry(Fault.IO, 16), Map.entry(Fault.CORRUPT, 17), Map.entry(Fault.TOO_MANY_LOST, 18),
        Map.entry(Fault.FILE_CHANGED, 19), Map.entry(Fault.NOT_VALID, 20), Map.entry(Fault.NOT_AUTHORIZED, 21),
        Map.entry(Fault.STOPPING, 22), Map.entry(Fault.DUPLICATE_NODE, 23), Map.entry(Fault.BAD_CONFIGURATION, 24),
        Map.entry(Fault.NOT_LEADER, 25), Map.entry(Fault.HALTED, 26), Map.entry(Fault.HALT_EXIT, 27),
        Map.entry(Fault.TAKEN_OVER, 28));
    assertThat(pinned).hasSameSizeAs(Fault.values());
    pinned.forEach((fault, number) -> assertThat(fault.number()).as(fault.name()).isEqualTo(number));
    assertThat(Stream.of(Fault.values()).map(Fault::number)).doesNotHaveDuplicates().allMatch(n -> n > 0);
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void aFaultIsFoundByItsNumber(Fault fault) {
    assertThat(Fault.of(fault.number())).isSameAs(fault);
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 1000, Integer.MAX_VALUE})
  void anUnknownNumberIsAnInternalFault(int number) {
    assertThat(Fault.of(number)).isSameAs(Fault.INTERNAL);
  }

  @Test
  void neighboursOfASetWrapAround() {
    List<Integer> all = List.of(1, 4, 6, 9, 30);
    for (int size = 1; size <= all.size(); size++) {
      RedundancySet set = new RedundancySet(all.subList(0, size));
      assertThat(set.id()).isEqualTo(1);
      for (int member = 0; member < size; member++) {
        int rank = all.get(member);
        assertThat(set.memberOf(rank)).isEqualTo(member);
        for (int distance = 0; distance <= 2 * size; distance++) {
          assertThat(set.right(rank, distance)).isEqualTo(all.get((member + distance) % size));
          assertThat(set.left(rank, distance)).isEqualTo(all.get((member + 2 * size - distance) % size));
          assertThat(set.left(set.right(rank, distance), distance)).isEqualTo(rank);
        }
      }
    }
  }

  @Test
  void aSetNamesItsFilesAsOtherToolsDo() {
    RedundancySet set = new RedundancySet(List.of(2, 5, 8));
    assertThat(set.fileName(5, Scheme.XOR)).isEqualTo("2_of_3_in_2.xor");
    assertThat(set.fileName(2, Scheme.RS)).isEqualTo("1_of_3_in_2.rs");
    assertThat(set.fileName(8, Scheme.PARTNER)).isEqualTo("3_of_3_in_2.partner");
  }

  @Test
  void aSetAscendsHasMembersAndKnowsOnlyThem() {
    List<List<Integer>> wrong = List.of(List.of(), List.of(-1), List.of(1, 1), List.of(2, 1), List.of(0, 3, 2));
    for (List<Integer> ranks : wrong) {
      refuses(Fault.BAD_REQUEST, () -> new RedundancySet(ranks));
    }
    for (int rank : new int[] {-1, 1, 3, 99}) {
      refuses(Fault.UNKNOWN_RANK, () -> new RedundancySet(List.of(0, 2)).memberOf(rank));
    }
  }

  @Test
  void aRankMapIsTheSameReadByRankOrByNode() {
    RankMap map = new RankMap(List.of("b", "a", "b", "c", "a"));
    assertThat(map.size()).isEqualTo(5);
    assertThat(map.byNode()).containsExactly(
        Map.entry("a", List.of(1, 4)), Map.entry("b", List.of(0, 2)), Map.entry("c", List.of(3)));
    map.byNode().forEach((node, ranks) -> {
      assertThat(map.ranksOn(node)).isEqualTo(ranks);
      ranks.forEach(rank -> assertThat(map.nodeOf(rank)).isEqualTo(node));
    });
    assertThat(map.ranksOn("d")).isEmpty();
    for (int rank : new int[] {-1, 5, Integer.MAX_VALUE}) {
      refuses(Fault.UNKNOWN_RANK, () -> map.nodeOf(rank));
    }
  }

  @Test
  void aLogicalFileIsAsLongAsItsFilesTogether() {
    List<FileMeta> files = IntStream.range(0, 3)
        .mapToObj(i -> new FileMeta("rank.0/f" + i, "d/e/f" + i, 1L << 32 + i, OptionalInt.empty())).toList();
    assertThat(new RankFiles(0, files).bytes()).isEqualTo(7L << 32);
    assertThat(new RankFiles(0, List.of()).bytes()).isZero();
    assertThat(files.get(2).baseName()).isEqualTo("f2");
    assertThat(new FileMeta("x", "top", 0, OptionalInt.empty()).withCrc(-1))
        .isEqualTo(new FileMeta("x", "top", 0, OptionalInt.of(-1)));
    assertThat(new FileMeta("x", "top", 0, OptionalInt.empty()).baseName()).isEqualTo("top");
  }
}
