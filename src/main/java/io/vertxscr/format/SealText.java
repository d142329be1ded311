package io.vertxscr.format;

import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.Seal;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * A seal in a filemap: one value, since there may be thousands.
 * <pre>
 *   SEAL -> 26 4711 524296 1312850690 668536000 1312850690 668536000
 *           device  bytes  modified, nanoseconds
 *              inode                            changed, nanoseconds
 * </pre>
 */
final class SealText {
  private static final int NUMBERS = 7;

  private SealText() {}

  static String of(Seal seal) {
    return LongStream.of(seal.device(), seal.inode(), seal.bytes(), seal.modifiedSeconds(), seal.modifiedNanos(),
        seal.changedSeconds(), seal.changedNanos()).mapToObj(Long::toString).collect(Collectors.joining(" "));
  }

  /** Reads the one below this, if there is one. */
  static Optional<Seal> find(Fields fields) {
    return fields.findText("SEAL").map(text -> parse(text).filter(seal -> of(seal).equals(text))
        .orElseThrow(() -> fields.corrupt("SEAL", "'" + text + "' is no seal: expected " + NUMBERS + " numbers")));
  }

  private static Optional<Seal> parse(String text) {
    try {
      long[] numbers = Arrays.stream(text.split(" ")).mapToLong(Long::parseLong).toArray();
      return numbers.length == NUMBERS && isNanos(numbers[4]) && isNanos(numbers[6])
          ? Optional.of(new Seal(numbers[0], numbers[1], numbers[2], numbers[3], (int) numbers[4], numbers[5],
              (int) numbers[6])) : Optional.empty();
    } catch (NumberFormatException _) {
      return Optional.empty();
    }
  }

  private static boolean isNanos(long number) {
    return number >= 0 && number <= Stamp.MAX_NANOS;
  }
}
