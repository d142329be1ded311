package io.vertxscr.examples.heat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.examples.heat.HeatProblem.Rows;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a field is taken only if it is whole, and its picture shows it. */
class FinalFieldTest {
  private static final int SIZE = 9;

  @TempDir private Path directory;

  @Test
  void theDigestDoesNotDependOnTheSplit() throws Exception {
    write(0, 9);
    String whole = FinalField.open(directory, SIZE).digest();
    for (int first = 1; first < 8; first++) {
      for (int second = first + 1; second < 9; second++) {
        clear();
        write(0, first);
        write(first, second - first);
        write(second, SIZE - second);
        assertThat(FinalField.open(directory, SIZE).digest()).isEqualTo(whole);
      }
    }
  }

  @Test
  void aFieldWithRowsMissingOrTwiceIsRefused() throws Exception {
    int[][][] wrong = {{}, {{0, 8}}, {{1, 8}}, {{0, 4}, {5, 4}}, {{0, 5}, {4, 5}}, {{0, 9}, {0, 4}}, {{0, 5}, {5, 5}}};
    for (int[][] blocks : wrong) {
      clear();
      for (int[] block : blocks) {
        write(block[0], block[1]);
      }
      assertThatThrownBy(() -> FinalField.open(directory, SIZE)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aFileOfAnotherLengthIsRefused() throws Exception {
    for (int length : new int[] {0, 1, 647, 649, 1296}) {
      Files.write(directory.resolve("rows_0_9.f64"), new byte[length]);
      assertThatThrownBy(() -> FinalField.open(directory, SIZE)).hasMessageContaining("rows_0_9.f64 is " + length);
    }
  }

  @Test
  void filesOfOtherKindsAreLeftAlone() throws Exception {
    write(0, 9);
    Files.writeString(directory.resolve("rows_0_4.f64.draft"), "half");
    assertThat(FinalField.open(directory, SIZE).digest()).hasSize(64);
  }

  @Test
  void thePictureShowsTheMeanOfSquares() throws Exception {
    write(0, 9);
    Path file = directory.resolve("pictures/field.png");
    FieldImage.write(FinalField.open(directory, SIZE), file, 4);
    BufferedImage image = ImageIO.read(file.toFile());
    assertThat(image.getWidth()).isEqualTo(3);
    assertThat(image.getHeight()).isEqualTo(3);
    for (int y = 0; y < 3; y++) {
      for (int x = 0; x < 3; x++) {
        assertThat(image.getRGB(x, y) & 0xffffff).isEqualTo(FieldImage.colour((10.0 * (3 * y + 1) + 3 * x + 1) / 100));
      }
    }
  }

  @Test
  void warmerIsNeverDarker() {
    int last = -1;
    for (int step = -10; step <= 1010; step++) {
      int rgb = FieldImage.colour(step / 1000.0);
      int sum = (rgb >> 16) + (rgb >> 8 & 0xff) + (rgb & 0xff);
      assertThat(sum).isGreaterThanOrEqualTo(last);
      last = sum;
    }
    assertThat(FieldImage.colour(0)).isZero();
    assertThat(FieldImage.colour(1)).isEqualTo(0xffffff);
  }

  /** Cell (row, column) is 10 row + column degrees. */
  private void write(int first, int count) throws IOException {
    Block block = new Block(SIZE, new Rows(first, count));
    for (int row = first; row < first + count; row++) {
      for (int column = 0; column < SIZE; column++) {
        block.cells()[block.indexOf(row) + column] = 10 * row + column;
      }
    }
    FinalField.writeBlock(directory, block);
  }

  private void clear() throws IOException {
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }
}
