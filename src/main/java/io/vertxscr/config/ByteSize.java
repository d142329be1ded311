package io.vertxscr.config;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes such as {@code 4096}, {@code 300KB} or {@code 1.5g}. Syntax: a number with an optional fraction, an
 * optional unit K M G T P (powers of 1024), an optional B.
 */
public final class ByteSize {
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,19}(?:\\.[0-9]{1,9})?)([kmgtp]?)b?");
  private static final String UNITS = "kmgtp";

  private ByteSize() {}

  /** Bytes, rounded down; empty for an invalid size or one beyond a long. */
  public static OptionalLong parse(String text) {
    Matcher matcher = SIZE.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      return OptionalLong.empty();
    }
    int shift = matcher.group(2).isEmpty() ? 0 : 10 * (UNITS.indexOf(matcher.group(2)) + 1);
    var bytes = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(1L << shift)).toBigInteger();
    return bytes.bitLength() < Long.SIZE ? OptionalLong.of(bytes.longValue()) : OptionalLong.empty();
  }
}
