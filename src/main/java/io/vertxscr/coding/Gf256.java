package io.vertxscr.coding;

/**
 * Arithmetic on elements of GF(2^8). Bytes as polynomials over GF(2), modulo x^8 + x^4 + x^3 + x^2 + 1 (0x11d). Sums
 * are exclusive or; products are looked up as sums of logarithms to the base x, which generates all but zero. Elements
 * are ints from 0 to 255.
 */
final class Gf256 {
  static final int ELEMENTS = 256;

  private static final int POLYNOMIAL = 0x11d;
  private static final int PERIOD = ELEMENTS - 1;
  /** Twice as long as the powers' period: a sum of two logarithms needs no remainder. */
  private static final int[] POWERS = new int[2 * PERIOD];
  private static final int[] LOGARITHMS = new int[ELEMENTS];

  static {
    int power = 1;
    for (int exponent = 0; exponent < PERIOD; exponent++) {
      POWERS[exponent] = power;
      POWERS[exponent + PERIOD] = power;
      LOGARITHMS[power] = exponent;
      power <<= 1;
      if (power >= ELEMENTS) {
        power ^= POLYNOMIAL;
      }
    }
  }

  private Gf256() {}

  static int multiply(int a, int b) {
    return a == 0 || b == 0 ? 0 : POWERS[LOGARITHMS[a] + LOGARITHMS[b]];
  }

  /** @throws ArithmeticException for a divisor of zero */
  static int divide(int a, int b) {
    if (b == 0) {
      throw new ArithmeticException("division by zero in GF(2^8)");
    }
    return a == 0 ? 0 : POWERS[LOGARITHMS[a] + PERIOD - LOGARITHMS[b]];
  }
}
