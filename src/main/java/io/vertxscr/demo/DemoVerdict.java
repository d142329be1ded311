package io.vertxscr.demo;

import io.vertxscr.examples.heat.FinalField;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Whether two final fields are the same, byte by byte.
 *
 * @param identical true where every byte is
 * @param text {@code identical}, or what the first difference is
 */
public record DemoVerdict(boolean identical, String text) {
  /** Compares the field of the undisturbed run with that of the disturbed one. */
  public static DemoVerdict compare(FinalField undisturbed, FinalField disturbed) throws IOException {
    if (undisturbed.size() != disturbed.size()) {
      return new DemoVerdict(false, "different: size " + undisturbed.size() + " and size " + disturbed.size());
    }
    try (InputStream expected = new BufferedInputStream(undisturbed.bytes());
        InputStream found = new BufferedInputStream(disturbed.bytes())) {
      byte[] expectedRow = new byte[undisturbed.size() * Double.BYTES];
      byte[] foundRow = new byte[expectedRow.length];
      for (int row = 0; row < undisturbed.size(); row++) {
        readRow(expected, expectedRow, row);
        readRow(found, foundRow, row);
        int at = Arrays.mismatch(expectedRow, foundRow);
        if (at >= 0) {
          return new DemoVerdict(false, "different: first in row " + row + ", column " + at / Double.BYTES);
        }
      }
    }
    return new DemoVerdict(true, "identical");
  }

  private static void readRow(InputStream in, byte[] into, int row) throws IOException {
    if (in.readNBytes(into, 0, into.length) < into.length) {
      throw new IOException("the field ends in row " + row + ": a file became shorter while it was compared");
    }
  }
}
