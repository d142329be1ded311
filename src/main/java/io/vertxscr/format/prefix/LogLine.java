package io.vertxscr.format.prefix;

import io.vertxscr.format.Fields;
import java.time.LocalDateTime;
import java.time.format.DateTimeParseException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of {@code <prefix>/.scr/log}, in the form that readers of SCR's logs know.
 *
 * <pre>
 *   2026-11-20T11:58:50: host=node0, jobid=439, event=CHECKPOINT_START, note="/ssd", dset=1, name="b.1"
 *   2026-11-20T11:58:51: host=node0, jobid=439, xfer=ENCODE, from=/ssd, to=/ssd, dset=1, secs=0.002206,
 *       bytes=4194304.000000, files=4                                                        (all in one line)
 * </pre>
 *
 * @param time local, to the second
 * @param fields those after {@code host} and {@code jobid}, texts without quotes; the first is {@code event} or
 *     {@code xfer}
 */
public record LogLine(LocalDateTime time, String host, String jobId, Map<String, String> fields) {
  private static final Pattern LINE = Pattern.compile("(?<time>[0-9T:-]{19}): (?<rest>.*)");
  private static final Pattern FIELD =
      Pattern.compile("(?<key>[a-z]+)=(?:\"(?<quoted>[^\"]*)\"|(?<plain>[^,\"]*))(?:, |$)");

  /** Order of the keys, as SCR writes them. */
  private static final List<String> ORDER =
      List.of("event", "xfer", "note", "from", "to", "dset", "name", "secs", "bytes", "files");

  public LogLine {
    Map<String, String> ordered = new LinkedHashMap<>();
    for (String key : ORDER) {
      if (fields.containsKey(key)) {
        ordered.put(key, fields.get(key));
      }
    }
    fields.forEach(ordered::putIfAbsent);
    fields = Collections.unmodifiableMap(ordered);
  }

  /** Starts a line about an event. */
  public static Builder event(String event) {
    return new Builder("event", event);
  }

  /** Starts a line about a transfer of bytes. */
  public static Builder transfer(String transfer) {
    return new Builder("xfer", transfer);
  }

  /** Adds fields; those that say nothing are left out. */
  public static final class Builder {
    private final Map<String, String> fields = new LinkedHashMap<>();

    private Builder(String key, String value) {
      fields.put(key, value);
    }

    /** A text, in quotes when it is written. */
    public Builder text(String key, String value) {
      if (!value.isEmpty()) {
        fields.put(key, value.replace('"', '\'').replaceAll("\\p{Cntrl}", " "));
      }
      return this;
    }

    /** A dataset's number. */
    public Builder dataset(int id) {
      if (id > 0) {
        fields.put("dset", String.valueOf(id));
      }
      return this;
    }

    public Builder seconds(double seconds) {
      fields.put("secs", decimal(seconds));
      return this;
    }

    public Builder bytesAndFiles(double bytes, long files) {
      fields.put("bytes", decimal(bytes));
      fields.put("files", String.valueOf(files));
      return this;
    }

    /** The line, said by this host at this time. */
    public LogLine at(LocalDateTime time, String host, String jobId) {
      return new LogLine(time, host, jobId, fields);
    }
  }

  private static String decimal(double number) {
    return String.format(Locale.ROOT, "%.6f", number);
  }

  /** The event; empty where the line is about a transfer. */
  public Optional<String> event() {
    return Optional.ofNullable(fields.get("event"));
  }

  /** The transfer; empty where the line is about an event. */
  public Optional<String> transfer() {
    return Optional.ofNullable(fields.get("xfer"));
  }

  /** Returns the duration, if the line has one. */
  public OptionalDouble seconds() {
    String text = fields.getOrDefault("secs", "");
    return text.matches("[0-9]+(\\.[0-9]+)?") ? OptionalDouble.of(Double.parseDouble(text)) : OptionalDouble.empty();
  }

  /** The line, without its end. */
  public String encode() {
    StringBuilder line = new StringBuilder(Fields.time(time))
        .append(": host=").append(host).append(", jobid=").append(jobId);
    fields.forEach((key, value) -> {
      boolean quoted = key.equals("note") || key.equals("name");
      line.append(", ").append(key).append('=');
      line.append(quoted ? "\"" + value + "\"" : value);
    });
    return line.toString();
  }

  /** Parses a line; empty for other text, written by other tools or torn by a crash. */
  public static Optional<LogLine> decode(String text) {
    Matcher line = LINE.matcher(text);
    if (!line.matches()) {
      return Optional.empty();
    }
    Map<String, String> fields = new LinkedHashMap<>();
    String rest = line.group("rest");
    Matcher field = FIELD.matcher(rest);
    int at = 0;
    while (at < rest.length() && field.region(at, rest.length()).lookingAt()) {
      fields.put(field.group("key"), field.group("quoted") != null ? field.group("quoted") : field.group("plain"));
      at = field.end();
    }
    String host = fields.remove("host");
    String jobId = fields.remove("jobid");
    if (at < rest.length() || host == null || jobId == null || fields.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new LogLine(LocalDateTime.parse(line.group("time")), host, jobId, fields));
    } catch (DateTimeParseException _) {
      return Optional.empty();
    }
  }
}
