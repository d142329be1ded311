package io.vertxscr.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: every byte of a range is found in its file. Method: all ranges of all lists of small sizes, byte by byte. */
class FilePiecesTest {
  private static final int[] SIZES = {0, 1, 3};

  @Test
  void findsEveryByteOfEveryRange() {
    for (int count = 0; count <= 4; count++) {
      for (int code = 0; code < Math.powExact(SIZES.length, count); code++) {
        checkAllRanges(sizes(count, code));
      }
    }
  }

  private static int[] sizes(int count, int code) {
    return IntStream.range(0, count).map(i -> SIZES[code / Math.powExact(SIZES.length, i) % SIZES.length]).toArray();
  }

  private static void checkAllRanges(int[] sizes) {
    List<String> bytes = new ArrayList<>();              // "file:offset" of each byte
    for (int file = 0; file < sizes.length; file++) {
      for (int i = 0; i < sizes[file]; i++) {
        bytes.add(file + ":" + i);
      }
    }
    var pieces = new FilePieces(new RankFiles(0, IntStream.of(sizes)
        .mapToObj(size -> new FileMeta("f", "f", size, OptionalInt.empty())).toList()));
    assertThat(pieces.bytes()).isEqualTo(bytes.size());
    for (int from = 0; from <= bytes.size() + 2; from++) {
      for (int length = 0; length <= bytes.size() + 3; length++) {
        List<String> found = new ArrayList<>();
        for (FilePiece piece : pieces.of(from, length)) {
          assertThat(piece.bytes()).isPositive();
          for (long i = 0; i < piece.bytes(); i++) {
            found.add(piece.fileIndex() + ":" + (piece.offset() + i));
          }
        }
        assertThat(found).isEqualTo(bytes.stream().skip(from).limit(length).toList());
      }
    }
  }
}
