package io.vertxscr.cli.halt;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Points in time as people write them.
 *
 * <pre>
 *   1795176000                 seconds since 1970
 *   2026-11-20T11:58:50        here, or with a zone: 2026-11-20T11:58:50Z, ...+01:00
 *   2026-11-20 11:58           seconds may be missing
 *   2026-11-20                 its beginning
 *   11:58, 11:58pm             the next time that it is so late
 *   8:30am tomorrow            that day, or today
 *   +90m, +1h30m, +2d, now     from now on
 * </pre>
 */
final class HaltTime {
  static final String FORMS = "seconds since 1970, 2026-11-20T11:58:50 (with Z or +01:00 for a zone other than this"
      + " one), '2026-11-20 11:58', 2026-11-20, 11:58 (the next), 8:30am tomorrow, +1h30m or now";
  private static final Pattern AHEAD =
      Pattern.compile("\\+(?=[0-9])(?:([0-9]{1,5})d)?(?:([0-9]{1,6})h)?(?:([0-9]{1,7})m)?(?:([0-9]{1,9})s)?");
  private static final Pattern CLOCK = Pattern.compile(
      "(?<h>[0-9]{1,2})(?::(?<m>[0-9]{2}))?(?::(?<s>[0-9]{2}))? ?(?<half>am|pm)?(?: +(?<day>today|tomorrow))?");
  private static final Pattern SECONDS = Pattern.compile("[0-9]{5,18}");
  private static final DateTimeFormatter SHOWN = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss");

  private HaltTime() {}

  /** Seconds since 1970; empty for an invalid time. */
  static Optional<Long> parse(String written, ZonedDateTime now) {
    String text = written.strip();
    if (text.equalsIgnoreCase("now")) {
      return Optional.of(now.toEpochSecond());
    }
    if (SECONDS.matcher(text).matches()) {
      return Optional.of(Long.parseLong(text));
    }
    Matcher ahead = AHEAD.matcher(text);
    if (ahead.matches()) {
      return Optional.of(now.toEpochSecond() + seconds(ahead));
    }
    Matcher clock = CLOCK.matcher(text.toLowerCase(Locale.ROOT));
    if (clock.matches() && (clock.group("half") != null || clock.group("m") != null)) {
      return clock(clock, now);
    }
    return calendar(text.replaceFirst("(?<=[0-9]) +(?=[0-9])", "T").toUpperCase(Locale.ROOT), now);
  }

  /** Parses a duration into seconds: {@code 3600}, {@code 1h}, {@code 1h30m}; empty for other text. */
  static Optional<Long> length(String written) {
    String text = written.strip();
    return text.matches("[0-9]{1,9}") ? Optional.of(Long.parseLong(text)) : Optional.of(AHEAD.matcher("+" + text))
        .filter(Matcher::matches).map(HaltTime::seconds);
  }

  private static long seconds(Matcher ahead) {
    return 86_400 * number(ahead, 1) + 3600 * number(ahead, 2) + 60 * number(ahead, 3) + number(ahead, 4);
  }

  /** A time of the day; without a day the next one. */
  private static Optional<Long> clock(Matcher clock, ZonedDateTime now) {
    int hour = Integer.parseInt(clock.group("h"));
    String half = clock.group("half");
    if (half != null) {
      if (hour < 1 || hour > 12) {
        return Optional.empty();
      }
      hour = hour % 12 + (half.equals("pm") ? 12 : 0);
    }
    int minute = clock.group("m") == null ? 0 : Integer.parseInt(clock.group("m"));
    int second = clock.group("s") == null ? 0 : Integer.parseInt(clock.group("s"));
    if (hour > 23 || minute > 59 || second > 59) {
      return Optional.empty();
    }
    ZonedDateTime today = now.with(LocalTime.of(hour, minute, second));
    String day = clock.group("day");
    boolean tomorrow = day == null ? today.isBefore(now) : day.equals("tomorrow");
    return Optional.of((tomorrow ? today.plusDays(1) : today).toEpochSecond());
  }

  private static Optional<Long> calendar(String text, ZonedDateTime now) {
    try {
      if (!text.contains("T")) {
        return Optional.of(LocalDate.parse(text).atStartOfDay(now.getZone()).toEpochSecond());
      }
      boolean hasZone = text.endsWith("Z") || text.substring(text.indexOf('T')).matches(".*[+-].*");
      return Optional.of(hasZone ? OffsetDateTime.parse(text).toEpochSecond()
          : LocalDateTime.parse(text).atZone(now.getZone()).toEpochSecond());
    } catch (DateTimeParseException _) {
      return Optional.empty();
    }
  }

  private static long number(Matcher match, int group) {
    return match.group(group) == null ? 0 : Long.parseLong(match.group(group));
  }

  /** The time, and how far it is from now. */
  static String show(long seconds, ZonedDateTime now) {
    long ahead = seconds - now.toEpochSecond();
    String distance = distance(Duration.ofSeconds(Math.abs(ahead)));
    return SHOWN.format(Instant.ofEpochSecond(seconds).atZone(now.getZone()))
        + (ahead >= 0 ? " (in " + distance + ")" : " (" + distance + " ago)");
  }

  private static String distance(Duration d) {
    if (d.toDays() > 0) {
      return d.toDays() + " d " + d.toHoursPart() + " h";
    }
    return d.toHours() > 0 ? d.toHours() + " h " + d.toMinutesPart() + " min"
        : d.toMinutes() > 0 ? d.toMinutes() + " min " + d.toSecondsPart() + " s" : d.toSeconds() + " s";
  }
}
