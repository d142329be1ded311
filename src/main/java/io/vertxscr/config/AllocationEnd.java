package io.vertxscr.config;

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When the allocation ends, in seconds since 1970. Some batch systems say it in the environment; others have to be
 * asked with a command, whose answer is understood here. Pure: the caller runs the command.
 *
 * <pre>
 *   SCR_END_TIME               overrides the batch system
 *   SLURM   SLURM_JOB_END_TIME, else  squeue -h -j &lt;id&gt; -o %L     the time left, 1-02:03:04, or UNLIMITED
 *   Flux                              flux job timeleft            seconds left, infinity for no end
 *   PBS                               qstat -f &lt;id&gt;           its start and its walltime
 *   LSF                               bjobs -noheader -o time_left &lt;id&gt;   hours and minutes left, 12:34 L
 * </pre>
 */
public final class AllocationEnd {
  private static final Pattern LEFT =
      Pattern.compile("(?:(?:(?<days>[0-9]{1,5})-)?(?<hours>[0-9]{1,6}):)?(?<minutes>[0-9]{1,6}):(?<seconds>[0-9]{2})");
  private static final Pattern HOURS_LEFT = Pattern.compile("(?<hours>[0-9]{1,6}):(?<minutes>[0-9]{2})(?: [LEX])?");
  private static final Pattern WALLTIME = Pattern.compile("Resource_List\\.walltime = (?<walltime>\\S+)");
  private static final Pattern START = Pattern.compile("stime = [A-Z][a-z]{2} (?<start>.+)");
  private static final DateTimeFormatter PBS_TIME = DateTimeFormatter.ofPattern("MMM d HH:mm:ss yyyy", Locale.US);

  private AllocationEnd() {}

  /**
   * Returns the end time from the environment. Words that are no time count as not said: they are the batch system's,
   * not ours.
   */
  public static OptionalLong of(Map<String, String> environment) {
    for (String variable : List.of("SCR_END_TIME", "SLURM_JOB_END_TIME")) {
      String text = environment.getOrDefault(variable, "");
      if (text.matches("[1-9][0-9]{0,17}")) {
        return OptionalLong.of(Long.parseLong(text));
      }
    }
    return OptionalLong.empty();
  }

  /** The command that asks the batch system; empty outside of one. */
  public static Optional<List<String>> question(Map<String, String> environment) {
    if (has(environment, "SLURM_JOB_ID")) {
      return Optional.of(List.of("squeue", "-h", "-j", environment.get("SLURM_JOB_ID"), "-o", "%L"));
    }
    if (has(environment, "FLUX_URI")) {
      return Optional.of(List.of("flux", "job", "timeleft"));
    }
    if (has(environment, "PBS_JOBID")) {
      return Optional.of(List.of("qstat", "-f", environment.get("PBS_JOBID")));
    }
    if (has(environment, "LSB_JOBID")) {
      return Optional.of(List.of("bjobs", "-noheader", "-o", "time_left", environment.get("LSB_JOBID")));
    }
    return Optional.empty();
  }

  private static boolean has(Map<String, String> environment, String variable) {
    return !environment.getOrDefault(variable, "").isEmpty();
  }

  /**
   * Parses the answer of a batch system's command.
   *
   * @param command as {@link #question} gave it
   * @return empty for no end, and for words that are not understood
   */
  public static OptionalLong answer(List<String> command, String answer, long nowSeconds, ZoneId zone) {
    String text = answer.strip();
    OptionalLong left = switch (command.getFirst()) {
      case "squeue" -> durationSeconds(text);
      case "flux" -> text.matches("[0-9]{1,12}(\\.[0-9]+)?")
          ? OptionalLong.of((long) Double.parseDouble(text)) : OptionalLong.empty();
      case "bjobs" -> hoursAndMinutes(text);
      case "qstat" -> pbsLeft(text, nowSeconds, zone);
      default -> OptionalLong.empty();
    };
    return left.isPresent() ? OptionalLong.of(nowSeconds + left.getAsLong()) : left;
  }

  /** {@code [[days-]hours:]minutes:seconds}. */
  private static OptionalLong durationSeconds(String text) {
    Matcher left = LEFT.matcher(text);
    if (!left.matches()) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(((number(left, "days") * 24 + number(left, "hours")) * 60 + number(left, "minutes")) * 60
        + number(left, "seconds"));
  }

  private static OptionalLong hoursAndMinutes(String text) {
    Matcher left = HOURS_LEFT.matcher(text);
    return left.matches()
        ? OptionalLong.of((number(left, "hours") * 60 + number(left, "minutes")) * 60) : OptionalLong.empty();
  }

  private static OptionalLong pbsLeft(String text, long nowSeconds, ZoneId zone) {
    Matcher walltime = WALLTIME.matcher(text);
    Matcher start = START.matcher(text);
    if (!walltime.find() || !start.find()) {
      return OptionalLong.empty();
    }
    OptionalLong lasts = durationSeconds(walltime.group("walltime"));
    try {
      long started = LocalDateTime.parse(start.group("start").strip().replaceAll(" +", " "), PBS_TIME)
          .atZone(zone).toEpochSecond();
      return lasts.isPresent() ? OptionalLong.of(started + lasts.getAsLong() - nowSeconds) : lasts;
    } catch (DateTimeParseException _) {
      return OptionalLong.empty();
    }
  }

  private static long number(Matcher match, String group) {
    return match.group(group) == null ? 0 : Long.parseLong(match.group(group));
  }
}
