import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import javax.imageio.ImageIO;

/**
 * Draws the initial field that is shipped with the heat example: grey values, white is hot.
 * {@code java examples/heat/tools/DrawPicture.java
 * examples/heat/src/main/resources/io/vertxscr/examples/heat/initial.png}
 *
 * <p>Thick letters keep their shape for a long time; the sun's thin rays and the dots at the bottom fade first, so that
 * the progress of the diffusion shows.
 */
class DrawPicture {
  private static final int SIZE = 512;
  private static final double STROKE = 17;

  public static void main(String[] arguments) throws IOException {
    BufferedImage image = new BufferedImage(SIZE, SIZE, BufferedImage.TYPE_BYTE_GRAY);
    for (int y = 0; y < SIZE; y++) {
      for (int x = 0; x < SIZE; x++) {
        image.getRaster().setSample(x, y, 0, grey(x + 0.5, y + 0.5));
      }
    }
    ImageIO.write(image, "png", new File(arguments[0]));
  }

  private static int grey(double x, double y) {
    double letters = Math.min(letterS(x, y), Math.min(letterC(x, y), letterR(x, y))) - STROKE;
    double shapes = Math.min(sun(x, y), dots(x, y));
    double heat = Math.max(inside(letters), 0.85 * inside(shapes));
    return (int) Math.round(255 * Math.max(heat, 0.01));
  }

  /** 1 inside of a shape (negative distance), 0 outside, a soft edge of one pixel between them. */
  private static double inside(double distance) {
    return Math.clamp(0.5 - distance, 0, 1);
  }

  private static double letterS(double x, double y) {
    double upper = arc(x, y, new double[] {106, 216, 46}, -Math.PI / 2 * 3, -Math.PI * 0.08);
    double lower = arc(x, y, new double[] {106, 308, 46}, -Math.PI / 2, Math.PI * 0.92);
    return Math.min(upper, lower);
  }

  private static double letterC(double x, double y) {
    double top = arc(x, y, new double[] {262, 236, 66}, -Math.PI, -Math.PI * 0.12);
    double bottom = arc(x, y, new double[] {262, 288, 66}, Math.PI * 0.12, Math.PI);
    return Math.min(Math.min(top, bottom), line(x, y, new double[] {196, 236, 196, 288}));
  }

  private static double letterR(double x, double y) {
    double stem = line(x, y, new double[] {376, 170, 376, 354});
    double bow = arc(x, y, new double[] {414, 217, 47}, -Math.PI / 2, Math.PI / 2);
    double top = line(x, y, new double[] {376, 170, 414, 170});
    double middle = line(x, y, new double[] {376, 264, 414, 264});
    double leg = line(x, y, new double[] {410, 264, 462, 354});
    return Math.min(Math.min(stem, bow), Math.min(Math.min(top, middle), leg));
  }

  private static double sun(double x, double y) {
    double distance = Math.hypot(x - 418, y - 76) - 26;
    for (int ray = 0; ray < 16; ray++) {
      double angle = Math.PI * ray / 8;
      double dx = Math.cos(angle);
      double dy = Math.sin(angle);
      double[] ends = {418 + 34 * dx, 76 + 34 * dy, 418 + 56 * dx, 76 + 56 * dy};
      distance = Math.min(distance, line(x, y, ends) - 1.5);
    }
    return distance;
  }

  /** Rows of dots below the letters, from large to tiny. */
  private static double dots(double x, double y) {
    double distance = SIZE;
    for (int row = 0; row < 4; row++) {
      double pitch = 32.0 / (1 << row);
      double centre = (Math.floor(x / pitch) + 0.5) * pitch;
      double height = 412 + 24 * row;
      if (x > 32 && x < 480) {
        distance = Math.min(distance, Math.hypot(x - centre, y - height) - pitch * 0.28);
      }
    }
    return distance;
  }

  /** Distance to an arc of a circle (x, y, radius) between two angles, clockwise on the screen. */
  private static double arc(double x, double y, double[] circle, double from, double to) {
    double angle = Math.atan2(y - circle[1], x - circle[0]);
    while (angle < from) {
      angle += 2 * Math.PI;
    }
    while (angle > from + 2 * Math.PI) {
      angle -= 2 * Math.PI;
    }
    if (angle <= to) {
      return Math.abs(Math.hypot(x - circle[0], y - circle[1]) - circle[2]);
    }
    return Math.min(end(x, y, circle, from), end(x, y, circle, to));
  }

  private static double end(double x, double y, double[] circle, double angle) {
    return Math.hypot(x - circle[0] - circle[2] * Math.cos(angle), y - circle[1] - circle[2] * Math.sin(angle));
  }

  /** Distance to the line between the points (x1, y1) and (x2, y2). */
  private static double line(double x, double y, double[] ends) {
    double dx = ends[2] - ends[0];
    double dy = ends[3] - ends[1];
    double along = Math.clamp(((x - ends[0]) * dx + (y - ends[1]) * dy) / (dx * dx + dy * dy), 0, 1);
    return Math.hypot(x - ends[0] - along * dx, y - ends[1] - along * dy);
  }
}
