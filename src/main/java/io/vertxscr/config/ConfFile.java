package io.vertxscr.config;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A configuration file, as written: lines of {@code KEY=VALUE} pairs. A {@code #} at the beginning of a word starts a
 * comment; a value with spaces stands in double quotes. Spaces beside the {@code =} are allowed; behind it, a value
 * that has an {@code =} itself stands in double quotes then. What the keys mean is not known here.
 *
 * @param place where it stands, for messages
 */
record ConfFile(String place, List<Line> lines) {
  /** One pair. */
  record Pair(String key, String value) {}

  /** The pairs of one line, in order, at least one. */
  record Line(int number, List<Pair> pairs) {}

  private static final Pattern BLANK = Pattern.compile("\\s*(?:#.*)?");
  /** In {@code A= B=1} the value of A is empty: behind spaces, what looks like the next pair is the next pair. */
  private static final Pattern PAIR = Pattern.compile("\\s*(?<key>[A-Za-z_][A-Za-z0-9_]*)(?:"
      + "\\s*=\\s+(?:\"(?<spacedQuoted>[^\"]*)\"|(?<spaced>[^\\s\"=#][^\\s\"=]*))(?!\\s*=)"
      + "|\\s*=(?:\"(?<quoted>[^\"]*)\"|(?<plain>[^\\s\"]*)))(?=\\s|$)");

  ConfFile {
    lines = List.copyOf(lines);
  }

  /** @throws ScrException {@link Fault#BAD_CONFIGURATION} with place and line, for what cannot be parsed */
  static ConfFile parse(String place, List<String> text) {
    List<Line> lines = new ArrayList<>();
    for (int i = 0; i < text.size(); i++) {
      List<Pair> pairs = pairs(place, i + 1, text.get(i));
      if (!pairs.isEmpty()) {
        lines.add(new Line(i + 1, pairs));
      }
    }
    return new ConfFile(place, lines);
  }

  private static List<Pair> pairs(String place, int number, String line) {
    List<Pair> pairs = new ArrayList<>();
    Matcher pair = PAIR.matcher(line);
    int at = 0;
    while (pair.region(at, line.length()).lookingAt()) {
      pairs.add(new Pair(pair.group("key"), Stream.of("spacedQuoted", "spaced", "quoted", "plain").map(pair::group)
          .filter(value -> value != null).findFirst().orElseThrow()));
      at = pair.end();
    }
    String rest = line.substring(at);
    if (!BLANK.matcher(rest).matches()) {
      throw new ScrException(Fault.BAD_CONFIGURATION,
          place + " line " + number + ": expected KEY=VALUE instead of '" + rest.strip()
          + "'; a value with spaces stands in double quotes");
    }
    return pairs;
  }
}
