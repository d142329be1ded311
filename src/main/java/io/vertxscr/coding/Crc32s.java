package io.vertxscr.coding;

/**
 * Arithmetic on CRC-32 checksums (the zlib polynomial, as {@link java.util.zip.CRC32}).
 *
 * <p>Bytes are polynomials over GF(2), and a checksum is a remainder modulo P. Appending n bytes multiplies by x^(8n),
 * so the checksum of A followed by B is {@code crc(A) * x^(8 |B|) + crc(B)}: no byte needs to be read again. The powers
 * x^(2^k) are tabled; they repeat after 32 steps because P is primitive. Method and bit order (the coefficient
 * of x^0 is the highest bit) are those of crc32_combine in zlib 1.2.12 and later.
 */
public final class Crc32s {
  /** P without its x^32, lowest power in the highest bit. */
  private static final int POLYNOMIAL = 0xedb88320;
  private static final int ONE = 1 << 31;
  private static final int PERIOD = 32;
  private static final int[] X_TO_TWO_TO = powers();

  private Crc32s() {}

  /**
   * The checksum of two pieces, one after the other.
   *
   * @param bytesB length of the second piece, at least 0
   */
  public static int combine(int crcA, int crcB, long bytesB) {
    if (bytesB < 0) {
      throw new IllegalArgumentException("a piece of " + bytesB + " bytes");
    }
    return multiply(xToEightTimes(bytesB), crcA) ^ crcB;
  }

  private static int xToEightTimes(long bytes) {
    int product = ONE;
    int power = 3;                                        // x^(2^3) shifts by one byte
    for (long rest = bytes; rest != 0; rest >>>= 1, power++) {
      if ((rest & 1) != 0) {
        product = multiply(X_TO_TWO_TO[power % PERIOD], product);
      }
    }
    return product;
  }

  /** a * b modulo P. */
  private static int multiply(int a, int b) {
    int product = 0;
    int shifted = b;
    for (int rest = a; rest != 0; rest <<= 1) {
      if (rest < 0) {
        product ^= shifted;
      }
      shifted = timesX(shifted);
    }
    return product;
  }

  private static int timesX(int a) {
    return (a & 1) == 0 ? a >>> 1 : (a >>> 1) ^ POLYNOMIAL;
  }

  private static int[] powers() {
    int[] powers = new int[PERIOD];
    powers[0] = ONE >>> 1;
    for (int k = 1; k < PERIOD; k++) {
      powers[k] = multiply(powers[k - 1], powers[k - 1]);
    }
    return powers;
  }
}
