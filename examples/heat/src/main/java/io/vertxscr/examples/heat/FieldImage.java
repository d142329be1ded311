package io.vertxscr.examples.heat;

import java.awt.image.BufferedImage;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/** Image of a field: black is cold, then red, orange, yellow. White is the hottest that the initial field can be. */
public final class FieldImage {
  private FieldImage() {}

  /**
   * Writes a PNG; each pixel shows the mean of a square of cells.
   *
   * @param maxPixels longest side of the picture
   */
  public static void write(FinalField field, Path file, int maxPixels) throws IOException {
    int cells = Math.ceilDiv(field.size(), maxPixels);
    int pixels = field.size() / cells;
    BufferedImage image = new BufferedImage(pixels, pixels, BufferedImage.TYPE_INT_RGB);
    double[] sums = new double[pixels];
    try (DataInputStream in = new DataInputStream(field.bytes())) {
      for (int row = 0; row < pixels * cells; row++) {
        for (int column = 0; column < field.size(); column++) {
          double degrees = in.readDouble();
          // Columns that fill no whole pixel are left out, as the last rows are.
          if (column < pixels * cells) {
            sums[column / cells] += degrees;
          }
        }
        if ((row + 1) % cells == 0) {
          paint(image, row / cells, sums, cells * cells);
        }
      }
    }
    Files.createDirectories(file.toAbsolutePath().getParent());
    if (!ImageIO.write(image, "png", file.toFile())) {
      throw new IOException("this Java platform cannot write PNG: " + file);
    }
  }

  private static void paint(BufferedImage image, int y, double[] sums, int cells) {
    for (int x = 0; x < sums.length; x++) {
      image.setRGB(x, y, colour(sums[x] / cells / Picture.HOTTEST_DEGREES));
      sums[x] = 0;
    }
  }

  /** The square root spreads the low temperatures, where most of the diffusion is to be seen. */
  static int colour(double heat) {
    double shade = 3 * Math.sqrt(Math.clamp(heat, 0, 1));
    return channel(shade) << 16 | channel(shade - 1) << 8 | channel(shade - 2);
  }

  private static int channel(double value) {
    return (int) Math.round(255 * Math.clamp(value, 0, 1));
  }
}
