package io.vertxscr.examples.heat;

import java.awt.image.BufferedImage;
import java.awt.image.Raster;
import java.io.IOException;
import java.io.InputStream;
import java.nio.DoubleBuffer;
import javax.imageio.ImageIO;

/** The initial field: a grey image in the jar, scaled to the field; black is 0 degrees, white 100. */
final class Picture {
  static final double HOTTEST_DEGREES = 100;
  private static final String NAME = "initial.png";

  private final Raster raster;

  private Picture(Raster raster) {
    this.raster = raster;
  }

  static Picture load() throws IOException {
    try (InputStream in = Picture.class.getResourceAsStream(NAME)) {
      BufferedImage image = in == null ? null : ImageIO.read(in);
      if (image == null) {
        throw new IOException("the picture " + NAME + " is missing from the program, or is no picture");
      }
      return new Picture(image.getRaster());
    }
  }

  void fill(Block block) {
    for (int row = block.rows().first(); row < block.rows().end(); row++) {
      DoubleBuffer cells = block.row(row);
      int y = scale(row, block.size(), raster.getHeight());
      for (int column = 0; column < block.size(); column++) {
        int grey = raster.getSample(scale(column, block.size(), raster.getWidth()), y, 0);
        cells.put(grey * HOTTEST_DEGREES / 255);
      }
    }
  }

  private static int scale(int index, int from, int to) {
    return (int) ((long) index * to / from);
  }
}
