package io.vertxscr.cli.offline;

import io.vertxscr.explain.RestoreRates.Rate;
import io.vertxscr.explain.RestoreRates;
import io.vertxscr.format.prefix.LogLine;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the log of a prefix directory tells of the last restores (docs/formats/log.md).
 *
 * @param rates of the last rebuild and the last fetch
 * @param repair from the last loss of a node that a rebuild or fetch has followed to the end of that; empty before any
 */
record MeasuredRates(RestoreRates rates, Optional<Repair> repair) {
  private static final Pattern WAYS =
      Pattern.compile("(\\d{1,9}) kept, (\\d{1,9}) moved, (\\d{1,9}) rebuilt, (\\d{1,9}) fetched");

  /** One measurement: the time of its end. */
  record Repair(Duration took, LocalDateTime time) {}

  /** @param lines of the log, in its order. Lines that do not tell a rate are passed over */
  static MeasuredRates of(List<LogLine> lines) {
    Map<Integer, Double> bytes = new HashMap<>();
    RestoreRates rates = RestoreRates.NONE;
    Optional<Repair> repair = Optional.empty();
    Optional<LocalDateTime> lost = Optional.empty();
    for (LogLine line : lines) {
      String event = line.event().orElse("");
      if (line.transfer().filter("CHECKPOINT"::equals).isPresent()) {
        number(line, "bytes").ifPresent(count -> dataset(line).ifPresent(id -> bytes.put(id, count)));
      } else if (event.equals("NODE_FAIL")) {
        lost = Optional.of(line.time());
      } else if (event.equals("REBUILD_SUCCESS") || event.equals("FETCH_SUCCESS")) {
        Optional<Rate> rate = rate(line, bytes);
        rates = event.equals("REBUILD_SUCCESS") ? new RestoreRates(rate.or(rates::rebuild), rates.fetch())
            : new RestoreRates(rates.rebuild(), rate.or(rates::fetch));
        if (lost.isPresent() && lost.get().isBefore(line.time())) {
          repair = Optional.of(new Repair(Duration.between(lost.get(), line.time()), line.time()));
        }
        lost = Optional.empty();
      }
    }
    return new MeasuredRates(rates, repair);
  }

  private static Optional<Rate> rate(LogLine line, Map<Integer, Double> bytes) {
    Matcher ways = WAYS.matcher(line.fields().getOrDefault("note", ""));
    OptionalDouble seconds = line.seconds();
    Optional<Integer> id = dataset(line);
    if (!ways.matches() || seconds.isEmpty() || id.isEmpty() || !bytes.containsKey(id.get())) {
      return Optional.empty();
    }
    double rebuilt = Double.parseDouble(ways.group(3));
    double fetched = Double.parseDouble(ways.group(4));
    double ranks = Double.parseDouble(ways.group(1)) + Double.parseDouble(ways.group(2)) + rebuilt;
    double brought = fetched > 0 ? bytes.get(id.get()) : ranks > 0 ? bytes.get(id.get()) * rebuilt / ranks : 0;
    return brought > 0 && seconds.getAsDouble() > 0
        ? Optional.of(new Rate(brought, seconds.getAsDouble(), id.get(), line.time())) : Optional.empty();
  }

  private static Optional<Integer> dataset(LogLine line) {
    String text = line.fields().getOrDefault("dset", "");
    return text.matches("[0-9]{1,9}") ? Optional.of(Integer.valueOf(text)) : Optional.empty();
  }

  private static Optional<Double> number(LogLine line, String key) {
    String text = line.fields().getOrDefault(key, "");
    return text.matches("[0-9]{1,18}(\\.[0-9]{1,9})?") ? Optional.of(Double.valueOf(text)) : Optional.empty();
  }
}
