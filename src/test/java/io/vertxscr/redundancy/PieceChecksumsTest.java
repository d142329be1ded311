package io.vertxscr.redundancy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/**
 * Goal: a file gets a checksum only from ranges that cover it exactly once. Method: all cuts, then each range spoiled.
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
        List<RangeChecksums> ranges = new ArrayList<>();
        meter(0, one, 1 + two % 5).ifPresent(ranges::add);
        meter(one, two, 3).ifPresent(ranges::add);
        meter(two, BYTES.length, 100).ifPresent(ranges::add);
        Collections.shuffle(ranges, new Random(one));
        ranges.add(new RangeChecksums(5, 1, 3, List.of(99)));   // another rank's
        assertThat(PieceChecksums.combine(FILES, ranges).files()).extracting(file -> file.crc().getAsInt())
            .containsExactly(0, crc(0, FIRST), 0, crc(FIRST, BYTES.length), 0);
      }
    }
  }

  @Test
  void refusesRangesThatAreMissingDoubledOrBeside() {
    List<RangeChecksums> whole = Stream.of(meter(0, 20, 7), meter(20, 30, 7), meter(30, BYTES.length, 7))
        .map(Optional::orElseThrow).toList();
    assertThat(whole).extracting(range -> range.crcs().size()).containsExactly(2, 1, 1);
    for (RangeChecksums range : whole) {
      List<RangeChecksums> rest = whole.stream().filter(other -> other != range).toList();
      assertRefused(rest);
      assertRefused(with(rest, range, range));
      for (int change : new int[] {-1, 1}) {
        assertRefused(with(rest, new RangeChecksums(4, range.offset() + change, range.bytes(), range.crcs())));
        assertRefused(with(rest, new RangeChecksums(4, range.offset(), range.bytes() + change, range.crcs())));
      }
      assertRefused(with(rest, new RangeChecksums(4, range.offset(), Long.MAX_VALUE, range.crcs())));
      assertRefused(with(rest, new RangeChecksums(5, range.offset(), range.bytes(), range.crcs())));
      List<Integer> oneMore = new ArrayList<>(range.crcs());
      oneMore.add(1);
      assertRefused(with(rest, new RangeChecksums(4, range.offset(), range.bytes(), oneMore)));
      assertRefused(with(rest, new RangeChecksums(4, range.offset(), range.bytes(), oneMore.subList(2, 2))));
    }
    assertRefused(with(whole, new RangeChecksums(4, 0, 0, List.of())));
    assertRefused(with(whole, new RangeChecksums(4, BYTES.length, 1, List.of(0))));
  }

  private static List<RangeChecksums> with(List<RangeChecksums> rest, RangeChecksums... more) {
    List<RangeChecksums> all = new ArrayList<>(rest);
    all.addAll(Arrays.asList(more));
    return all;
  }

  private static void assertRefused(List<RangeChecksums> ranges) {
    assertThatThrownBy(() -> PieceChecksums.combine(FILES, ranges)).as(ranges.toString())
        .isInstanceOfSatisfying(ScrException.class, refused -> assertThat(refused.fault()).isEqualTo(Fault.CORRUPT))
        .hasMessageContaining("rank 4");
  }

  private static Optional<RangeChecksums> meter(int from, int to, int step) {
    var meter = new PieceMeter(FILES, from, to - from);
    for (int at = from; at < to; at += step) {
      ByteBuffer buffer = ByteBuffer.wrap(BYTES, at, Math.min(step, to - at));
      meter.update(buffer);
      assertThat(buffer.position()).isEqualTo(at);
    }
    return from == to ? Optional.empty() : Optional.of(meter.done());
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
