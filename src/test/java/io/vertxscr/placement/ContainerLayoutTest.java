package io.vertxscr.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/**
 * Goal: every byte of a dataset has one place in its containers, and no other byte has it. Method: the document's
 * example, all ranges of small streams byte by byte, and random shapes whose bytes are laid out in bit sets.
 */
class ContainerLayoutTest {
  @Test
  void theExampleOfTheDocumentIsCutIntoItsThreeSegments() {
    assertThat(new ContainerLayout(300_000, 1).pieces(524_295, 524_296)).containsExactly(
        new ContainerPiece(1, 224_295, 75_705), new ContainerPiece(2, 0, 300_000), new ContainerPiece(3, 0, 148_591));
  }

  @Test
  void everyRangeIsCutAtEveryEndOfAContainer() {
    for (long size = 1; size <= 7; size++) {
      ContainerLayout layout = new ContainerLayout(size, 1);
      for (long offset = 0; offset <= 20; offset++) {
        for (long bytes = 0; bytes <= 20; bytes++) {
          List<Long> places = new ArrayList<>();
          for (ContainerPiece piece : layout.pieces(offset, bytes)) {
            assertThat(piece.offset() + piece.bytes()).isLessThanOrEqualTo(size);
            LongStream.range(0, piece.bytes())
                .forEach(i -> places.add(piece.container() * layout.containerBytes() + piece.offset() + i));
          }
          assertThat(places).isEqualTo(LongStream.range(offset, offset + bytes).boxed().toList());
        }
      }
    }
  }

  @Test
  void anEmptyFileHasOneEmptyPieceWhereItWouldBe() {
    assertThat(new ContainerLayout(100, 1).pieces(250, 0)).containsExactly(new ContainerPiece(2, 50, 0));
  }

  @RepeatedTest(200)
  void nodesOfAnyShapeNeitherOverlapNorLoseAByteAndBeginWhereTheyAreAligned(RepetitionInfo repetition) {
    long seed = repetition.getCurrentRepetition();
    Random random = new Random(seed);
    ContainerLayout layout = new ContainerLayout(1 + random.nextInt(300), 1 + random.nextInt(random.nextInt(400) + 1));
    List<Long> nodeBytes = random.longs(1 + random.nextInt(8), 0, 1 + random.nextInt(700)).boxed().toList();
    List<Long> starts = layout.starts(nodeBytes);
    Map<Integer, BitSet> containers = new HashMap<>();
    long total = 0;
    for (int node = 0; node < starts.size(); node++) {
      if (nodeBytes.get(node) == 0) {
        continue;
      }
      long within = starts.get(node) % layout.containerBytes();
      assertThat(within % layout.alignBytes()).as("alignment, seed %d", seed).isZero();
      for (ContainerPiece piece : layout.pieces(starts.get(node), nodeBytes.get(node))) {
        BitSet taken = containers.computeIfAbsent(piece.container(), _ -> new BitSet());
        int from = (int) piece.offset();
        int to = (int) (piece.offset() + piece.bytes());
        assertThat(taken.get(from, to).isEmpty()).as("nothing overlaps, seed %d", seed).isTrue();
        assertThat(to).as("within the container, seed %d", seed).isLessThanOrEqualTo((int) layout.containerBytes());
        taken.set(from, to);
        total += piece.bytes();
      }
    }
    assertThat(total).as("bytes, seed %d", seed).isEqualTo(nodeBytes.stream().mapToLong(Long::longValue).sum());
    long end = starts.getLast() + nodeBytes.getLast();
    assertThat(containers.keySet()).as("containers, seed %d", seed).hasSize(layout.containers(end));
    if (layout.alignBytes() == 1) {
      assertThat(end).as("without alignment there are no holes, seed %d", seed).isEqualTo(total);
    }
  }
}
