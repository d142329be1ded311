package io.vertxscr.format.prefix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;
import io.vertxscr.format.Samples;
import io.vertxscr.format.prefix.RankFileMap.Branch;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.Leaf;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Goal: every rank's part is found; other writers' maps are read, with missing checksums reported. */
class RankFileMapTest {
  @Test
  void everyRankIsInThePartThatStartsBeforeIt() {
    Branch root = Branch.root(10, List.of(7, 0, 4));
    for (int rank = 0; rank < 10; rank++) {
      assertThat(root.partOf(rank).suffix()).isEqualTo(rank < 4 ? ".0.0" : rank < 7 ? ".0.4" : ".0.7");
    }
    for (int rank : new int[] {-1, 10}) {
      assertThatThrownBy(() -> root.partOf(rank)).isInstanceOfSatisfying(ScrException.class,
          e -> assertThat(e.fault()).isEqualTo(Fault.UNKNOWN_RANK));
    }
  }

  @Test
  void partsThatLeaveRanksOutAreRefused() {
    for (List<Integer> firstRanks : List.<List<Integer>>of(List.of(), List.of(1), List.of(0, 10))) {
      assertThatThrownBy(() -> Branch.root(10, firstRanks)).isInstanceOf(ScrException.class);
    }
  }

  @Test
  void higherLevelsAreRead() {
    RankFileMap map = new Branch(10, 2, List.of(new RankFileMap.MapPart(0, ".1.0")));
    assertThat(RankFileMapFile.decode(RankFileMapFile.encode(map))).isEqualTo(map);
  }

  @Test
  void checksumsOfOtherWritersAreReadInAnyLengthAndCase() {
    FlushedFile file = foreign(new Hash().set("SIZE", 12).set("CRC", "0xAbC"));
    assertThat(file.crc()).isEqualTo(OptionalInt.of(0xabc));
    assertThat(file.verifiable()).isTrue();
  }

  @Test
  void fileWithoutSizeOrChecksumIsReadAndCalledUnverifiable() {
    for (Hash file : List.of(new Hash(), new Hash().set("SIZE", 1), new Hash().set("CRC", "0x1"))) {
      assertThat(foreign(file).verifiable()).isFalse();
    }
  }

  @Test
  void malformedNumbersAreRefusedByName() {
    for (String crc : List.of("38bb68f", "0x", "0x123456789", "0xg", "")) {
      assertThatThrownBy(() -> foreign(new Hash().set("CRC", crc))).hasMessageContaining("FILE/f/CRC");
    }
    for (String size : List.of("-1", "+1", "01", "1 ", "9223372036854775808", "\u0661", "")) {
      assertThatThrownBy(() -> foreign(new Hash().set("SIZE", size))).hasMessageContaining("FILE/f/SIZE");
    }
  }

  @Test
  void segmentsThatDoNotMakeUpTheFileAreRefused() {
    Hash segment = new Hash().set("FILE", ".scr/ctr.1.scr").set("OFFSET", 0).set("LENGTH", 5);
    assertThatThrownBy(() -> foreign(new Hash().set("SIZE", 6).put("SEG", new Hash().put("0", segment))))
        .hasMessageContaining("SEG: segments have 5 bytes, the file 6");
    assertThatThrownBy(() -> foreign(new Hash().put("SEG", new Hash().put("1", segment))))
        .hasMessageContaining("SEG: its 1 entries are not numbered 0 to 0");
  }

  @Test
  void entriesAddUpToTheSizeOfTheLeaf() {
    int empty = RankFileMapFile.encode(Leaf.of(9, List.of())).length;
    int two = RankFileMapFile.encode(Leaf.of(9, List.of(Samples.files(3), Samples.files(4)))).length;
    assertThat(RankFileMapFile.entryBytes(Samples.files(3)) + RankFileMapFile.entryBytes(Samples.files(4)))
        .isEqualTo(two - empty);
  }

  private static FlushedFile foreign(Hash file) {
    Hash map = new Hash().set("RANKS", 1).set("LEVEL", 0);
    map.at("RANK").at("0").at("FILE").put("f", file);
    return ((Leaf) RankFileMapFile.decode(HashFile.encode(map))).entries().getFirst().files().getFirst();
  }
}
