package io.vertxscr.redundancy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/**
 * Goal: a file gets a checksum only from pieces that cover it exactly once. Method: all cuts, then each piece spoiled.
 */
class PieceChecksumsTest {
  private static final byte[] BYTES = "The quick brown fox jumps over the lazy dog".getBytes();
  private static final int FIRST = 10;                    // two files, with empty ones around them
  private static final RankFiles FILES = new RankFiles(4, List.of(file("z", 0), file("a", FIRST), file("e", 0),
      file("b", BYTES.length - FIRST), file("y", 0)));

  @Test
  void combinesEveryPairOfCutsMetInEveryBufferSize() {
    for (int one = 0; one <= BYTES.length; one++) {
      for (int two = one; two <= BYTES.length; two++) {
        List<PieceChecksum> pieces = new ArrayList<>(meter(0, one, 1 + two % 5));
        pieces.addAll(meter(one, two, 3));
        pieces.addAll(meter(two, BYTES.length, 100));
        Collections.shuffle(pieces, new Random(one));
        pieces.add(new PieceChecksum(5, 1, 0, 3, 99));  // another rank's
        assertThat(PieceChecksums.combine(FILES, pieces).files()).extracting(file -> file.crc().getAsInt())
            .containsExactly(0, crc(0, FIRST), 0, crc(FIRST, BYTES.length), 0);
      }
    }
  }

  @Test
  void refusesPiecesThatAreMissingDoubledOrBeside() {
    List<PieceChecksum> whole = new ArrayList<>(meter(0, 20, 7));
    whole.addAll(meter(20, BYTES.length, 7));
    assertThat(whole).hasSize(3);
    for (PieceChecksum piece : whole) {
      List<PieceChecksum> rest = whole.stream().filter(other -> other != piece).toList();
      assertRefused(rest);
      assertRefused(with(rest, piece, piece));
      for (int change : new int[] {-1, 1}) {
        assertRefused(with(rest, new PieceChecksum(4, piece.fileIndex(), piece.offset() + change, piece.bytes(), 0)));
        assertRefused(with(rest, new PieceChecksum(4, piece.fileIndex(), piece.offset(), piece.bytes() + change, 0)));
        assertRefused(with(rest, new PieceChecksum(4, piece.fileIndex() + change, piece.offset(), piece.bytes(), 0)));
      }
      assertRefused(with(rest, new PieceChecksum(5, piece.fileIndex(), piece.offset(), piece.bytes(), 0)));
    }
    assertRefused(with(whole, new PieceChecksum(4, 0, 0, 0, 0)));
    assertRefused(with(whole, new PieceChecksum(4, 5, 0, 1, 0)));
  }

  private static List<PieceChecksum> with(List<PieceChecksum> rest, PieceChecksum... more) {
    List<PieceChecksum> all = new ArrayList<>(rest);
    all.addAll(Arrays.asList(more));
    return all;
  }

  private static void assertRefused(List<PieceChecksum> pieces) {
    assertThatThrownBy(() -> PieceChecksums.combine(FILES, pieces)).as(pieces.toString())
        .isInstanceOf(ScrException.class).hasMessageContaining("rank 4");
  }

  private static List<PieceChecksum> meter(int from, int to, int step) {
    var meter = new PieceMeter(FILES, from, to - from);
    for (int at = from; at < to; at += step) {
      ByteBuffer buffer = ByteBuffer.wrap(BYTES, at, Math.min(step, to - at));
      meter.update(buffer);
      assertThat(buffer.position()).isEqualTo(at);
    }
    return meter.done();
  }

  private static FileMeta file(String name, long bytes) {
    return new FileMeta("rank.4/" + name, name, bytes, OptionalInt.empty());
  }

  private static int crc(int from, int to) {
    var crc = new CRC32();
    crc.update(BYTES, from, to - from);
    return (int) crc.getValue();
  }
}
