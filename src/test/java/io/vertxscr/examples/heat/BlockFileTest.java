package io.vertxscr.examples.heat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.examples.heat.HeatProblem.Rows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: a checkpoint is read as written, or refused by name, for every bit flip and every length. */
@Execution(ExecutionMode.CONCURRENT)
class BlockFileTest {
  private static final String GOLDEN = "5343524845415431" + "00000007" + "00000003" + "00000001" + "00000001"
      + "3ff0000000000000" + "c000000000000000" + "3fe0000000000000" + "e793859d";

  @TempDir private Path directory;

  @Test
  void theBytesAreThoseThatTheDocumentationDraws() throws Exception {
    BlockFile.write(file(), small());
    assertThat(HexFormat.of().formatHex(Files.readAllBytes(file()))).isEqualTo(GOLDEN);
  }

  @Test
  void whatWasWrittenIsRead() throws Exception {
    Random random = new Random(1);
    for (int size : new int[] {3, 100, 255, 256, 257, 600}) {
      Block written = new Block(size, new Rows(1, size - 2));
      written.setStep(size);
      Arrays.setAll(written.cells(), _ -> random.nextGaussian());
      BlockFile.write(file(), written);
      assertThat(Files.size(file())).isEqualTo(BlockFile.bytes(written));
      Block read = new Block(size, written.rows());
      BlockFile.read(file(), read);
      assertThat(read.step()).isEqualTo(size);
      assertThat(read.ownCells()).isEqualTo(written.ownCells());
    }
  }

  @Test
  void aNewFileReplacesALongerOne() throws Exception {
    Files.write(file(), new byte[1000]);
    BlockFile.write(file(), small());
    assertThat(Files.size(file())).isEqualTo(BlockFile.bytes(small()));
  }

  @Test
  void everyBitFlipIsRefused() throws Exception {
    byte[] good = HexFormat.of().parseHex(GOLDEN);
    for (int bit = 0; bit < good.length * 8; bit++) {
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << bit % 8);
      assertRefused(bad, "bit " + bit);
    }
  }

  @Test
  void everyOtherLengthIsRefused() throws Exception {
    byte[] good = HexFormat.of().parseHex(GOLDEN);
    for (int length = 0; length < good.length + 9; length++) {
      if (length != good.length) {
        assertRefused(Arrays.copyOf(good, length), "length " + length);
      }
    }
  }

  @Test
  void theFileOfOtherRowsIsRefused() throws Exception {
    BlockFile.write(file(), small());
    assertThatThrownBy(() -> BlockFile.read(file(), new Block(3, new Rows(2, 1))))
        .hasMessageContaining("another problem").hasMessageContaining(file().toString());
  }

  private void assertRefused(byte[] bytes, String what) throws IOException {
    Files.write(file(), bytes);
    assertThatThrownBy(() -> BlockFile.read(file(), new Block(3, new Rows(1, 1))))
        .as(what).isInstanceOf(IOException.class).hasMessageContaining(file().toString());
  }

  private static Block small() {
    Block block = new Block(3, new Rows(1, 1));
    block.setStep(7);
    block.ownCells().put(new double[] {1, -2, 0.5});
    return block;
  }

  private Path file() {
    return directory.resolve("block.heat");
  }
}
