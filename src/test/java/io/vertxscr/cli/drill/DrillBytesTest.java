package io.vertxscr.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a file differs as soon as one byte does, and the first is named; so do files of others. */
class DrillBytesTest {
  @TempDir
  private Path directory;

  private Path written(DrillBytes bytes) throws IOException {
    Path file = directory.resolve("file");
    bytes.write(file);
    return file;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 7, 8, 9, 262_111, 262_112, 262_113, 600_001})
  void whatWasWrittenHasNoDifference(long size) throws IOException {
    DrillBytes bytes = new DrillBytes(7, 3, 12, size);
    Path file = written(bytes);
    assertThat(Files.size(file)).isEqualTo(bytes.length()).isEqualTo(size + 32);
    assertThat(bytes.difference(file)).isEmpty();
  }

  @Test
  void everyByteThatIsChangedIsNamed() throws IOException {
    DrillBytes bytes = new DrillBytes(7, 3, 12, 100);
    Path file = written(bytes);
    byte[] good = Files.readAllBytes(file);
    for (int at = 0; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] ^= 1;
      Files.write(file, bad);
      assertThat(bytes.difference(file)).hasValue("byte %d of the file of rank 3 at step 12 is 0x%02x, expected 0x%02x"
          .formatted(at, bad[at], good[at]));
    }
  }

  @Test
  void aDifferenceFarIntoTheFileIsNamedByItsPlaceInTheFile() throws IOException {
    DrillBytes bytes = new DrillBytes(7, 3, 12, 600_000);
    Path file = written(bytes);
    byte[] bad = Files.readAllBytes(file);
    bad[543_210] ^= 0x10;
    bad[599_999] ^= 0x10;
    Files.write(file, bad);
    assertThat(bytes.difference(file).orElseThrow()).startsWith("byte 543210 of the file of rank 3");
  }

  @Test
  void aFileOfAnotherLengthDiffers() throws IOException {
    DrillBytes bytes = new DrillBytes(7, 3, 12, 100);
    byte[] good = Files.readAllBytes(written(bytes));
    for (int length : new int[] {0, 131, 133}) {
      Path file = Files.write(directory.resolve("file"), Arrays.copyOf(good, length));
      assertThat(bytes.difference(file)).hasValue("the file of rank 3 at step 12 has " + length
          + " bytes, expected 132");
    }
  }

  @Test
  void filesOfOtherRanksStepsAndSeedsDiffer() throws IOException {
    Path file = written(new DrillBytes(7, 3, 12, 1000));
    assertThat(new DrillBytes(7, 3, 13, 1000).difference(file)).isPresent();
    assertThat(new DrillBytes(7, 4, 12, 1000).difference(file)).isPresent();
    assertThat(new DrillBytes(8, 3, 12, 1000).difference(file)).isPresent();
  }

  /** The form is that of the Javadoc; the sequence does not change between releases, so that seeds stay good. */
  @Test
  void theBytesAreThese() throws IOException {
    assertThat(HexFormat.of().formatHex(Files.readAllBytes(written(new DrillBytes(7, 3, 12, 8))))).isEqualTo(
        "5343524452494c4c" + "0000000000000007" + "00000003" + "0000000c" + "0000000000000008" + word(7, 3, 12));
  }

  /** Another way to compute the first word. */
  private static String word(long seed, int rank, int step) {
    long gamma = 0x9e3779b97f4a7c15L;
    long start = mixed(mixed(seed + gamma * (rank + 1)) + gamma * (step + 1));
    return HexFormat.of().toHexDigits(mixed(start + gamma));
  }

  private static long mixed(long z) {
    long a = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    long b = (a ^ (a >>> 27)) * 0x94d049bb133111ebL;
    return b ^ (b >>> 31);
  }
}
