package io.vertxscr.config;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them: a number, perhaps with a fraction, a unit K M G T P of powers of 1024, perhaps a B. */
final class ByteSize {
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,19}(?:\\.[0-9]{1,9})?)([kmgtp]?)b?");
  private static final String UNITS = "kmgtp";

  private ByteSize() {}

  /** Bytes, a fraction of a byte cut off; empty for what is no size or more than a long holds. */
  static OptionalLong parse(String text) {
    Matcher matcher = SIZE.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      return OptionalLong.empty();
    }
    int shift = matcher.group(2).isEmpty() ? 0 : 10 * (UNITS.indexOf(matcher.group(2)) + 1);
    var bytes = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(1L << shift)).toBigInteger();
    return bytes.bitLength() < Long.SIZE ? OptionalLong.of(bytes.longValue()) : OptionalLong.empty();
  }
}
