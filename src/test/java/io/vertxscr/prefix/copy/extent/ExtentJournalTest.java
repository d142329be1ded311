package io.vertxscr.prefix.copy.extent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a mark is believed only if it was written whole, by the same owner. */
class ExtentJournalTest {
  private static final Map<Integer, Integer> SUMS = Map.of(2, 0x12345678, 0, -1, 7, 0);

  @TempDir
  Path directory;

  private byte[] written() throws IOException {
    Path path = directory.resolve("marks");
    ExtentJournal.create(path, "n1");
    int records = 0;
    for (int extent : new int[] {2, 0, 7}) {
      try (ExtentJournal marks = ExtentJournal.open(path, "n1", records++)) {
        marks.add(extent, SUMS.get(extent));
      }
    }
    assertThat(ExtentJournal.read(path, "n1")).isEqualTo(SUMS);
    assertThat(ExtentJournal.read(path, "n2")).isEmpty();
    assertThat(ExtentJournal.read(directory.resolve("none"), "n1")).isEmpty();
    return Files.readAllBytes(path);
  }

  @Test
  void bytesAreAsDrawn() throws IOException {
    assertThat(HexFormat.of().formatHex(written())).startsWith("53435258" + "00000002" + "6e31")
        .hasSize(2 * (14 + 3 * ExtentJournal.RECORD_BYTES)).contains("00000002" + "12345678");
  }

  @Test
  void everyTruncationLeavesTheRecordsBefore() throws IOException {
    byte[] all = written();
    for (int length = 0; length <= all.length; length++) {
      Map<Integer, Integer> sums = ExtentJournal.decode(ByteBuffer.wrap(all, 0, length).slice(), "n1");
      assertThat(sums).as("%d bytes", length).hasSize(Math.max(0, (length - 14) / ExtentJournal.RECORD_BYTES));
      assertThat(SUMS).containsAllEntriesOf(sums);
    }
  }

  @Test
  void noFlippedBitIsBelieved() throws IOException {
    byte[] all = written();
    for (int bit = 0; bit < 8 * all.length; bit++) {
      byte[] flipped = all.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      Map<Integer, Integer> sums = ExtentJournal.decode(ByteBuffer.wrap(flipped), "n1");
      assertThat(SUMS).as("bit %d", bit).containsAllEntriesOf(sums);
      assertThat(sums.size()).as("bit %d", bit).isLessThan(3);
    }
  }

  @Test
  void whatIsTornIsWrittenOver() throws IOException {
    Path path = directory.resolve("torn");
    byte[] all = written();
    Files.write(path, java.util.Arrays.copyOf(all, all.length - 5));
    try (ExtentJournal marks = ExtentJournal.open(path, "n1", 2)) {
      marks.add(7, 0);
    }
    assertThat(Files.readAllBytes(path)).isEqualTo(all);
  }
}
