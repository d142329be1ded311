package io.vertxscr.cli;

import static io.vertxscr.cli.StatusAttention.isFlushed;
import static io.vertxscr.cli.StatusAttention.percent;
import static io.vertxscr.cli.StatusAttention.state;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.Humane;
import io.vertxscr.cli.text.Paint;
import io.vertxscr.cli.text.StyledLine;
import io.vertxscr.launch.Hostlist;
import io.vertxscr.model.Names;
import io.vertxscr.model.Plural;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The status on one page of a terminal, whatever the size of the cluster. Who is there, what the run does, each dataset
 * with what a loss would cost, space, and what wants attention; what does not fit is counted.
 *
 * <pre>
 *   nodes      who is up, lost, spare
 *   run        and what it waits for
 *   restart    the checkpoint that a restart would take, also after the loss of one node
 *
 *   dataset    size  protection  a node dies  flush      with a letter for its prefix directory, of several
 *
 *   space      of the fullest cache and the prefix directory
 *
 *   attention  and a command that helps
 * </pre>
 */
final class StatusGlance {
  static final int ROWS = 24;
  static final int COLUMNS = 80;

  private static final int LABEL = 9;
  private static final int TITLE = 24;
  private static final int SIZE = 8;
  private static final int PROTECTION = 14;
  private static final int SURVIVES = 14;
  private static final int BAR = 30;
  private static final int NODE_NAME = 10;
  private static final int OWNER = 4;
  private static final int MOST_OWNERS = 3;
  private static final int PATH = 42;
  private static final int MOST_ATTENTION = 4;
  private static final int FEWEST_DATASETS = 3;
  private static final Map<String, Paint> PAINTS = Map.of("FULL", Paint.GOOD, "DEGRADED", Paint.WARNING,
      "LOST", Paint.ALARM, "SINGLE", Paint.WARNING, "OPEN", Paint.FAINT);

  private final StatusView seen;
  private final boolean bars;

  private StatusGlance(StatusView seen, boolean bars) {
    this.seen = seen;
    this.bars = bars;
  }

  /** At most {@link #ROWS} lines of {@link #COLUMNS} columns. @param bars whether progress is drawn, too */
  static List<StyledLine> lines(StatusView seen, boolean bars) {
    return new StatusGlance(seen, bars).page().stream().map(line -> line.cut(COLUMNS)).toList();
  }

  private List<StyledLine> page() {
    List<StyledLine> above = new ArrayList<>(nodes());
    above.addAll(run());
    List<StyledLine> below = space();
    below.add(StyledLine.of(""));
    below.addAll(attention(ROWS - above.size() - below.size() - 2 - datasetsAtLeast()));
    List<StyledLine> page = new ArrayList<>(above);
    page.add(StyledLine.of(""));
    page.addAll(datasets(ROWS - above.size() - below.size() - 2));
    page.add(StyledLine.of(""));
    page.addAll(below);
    return page;
  }

  private int datasetsAtLeast() {
    int some = Math.min(seen.datasets().size(), FEWEST_DATASETS);
    return some == 0 ? 1 : 1 + some + (some < seen.datasets().size() ? 1 : 0);
  }

  private static StyledLine labelled(String label, Paint paint, String text) {
    return StyledLine.of(Paint.STRONG, label + " ".repeat(LABEL - label.length())).and(paint, text);
  }

  private List<StyledLine> nodes() {
    List<StyledLine> lines = new ArrayList<>();
    lines.add(labelled("up", Paint.PLAIN, count(seen.up()) + ": ").and(Paint.GOOD, names(seen.up()))
        .and("; " + seen.leader() + " leads"));
    if (!seen.lost().isEmpty()) {
      lines.add(labelled("lost", Paint.PLAIN, count(seen.lost()) + ": ").and(Paint.ALARM, names(seen.lost())));
    }
    if (!seen.spares().isEmpty()) {
      lines.add(labelled("spare", Paint.PLAIN, count(seen.spares()) + ": " + names(seen.spares())));
    }
    if (!seen.drains().isEmpty()) {
      lines.add(labelled("drain", Paint.PLAIN, DrainLines.brief(seen.drains())));
    }
    return lines;
  }

  private static String count(Collection<String> nodes) {
    return Plural.of(nodes.size(), "node");
  }

  private static String names(Collection<String> nodes) {
    return StyledLine.cut(Hostlist.compress(nodes), COLUMNS / 2);
  }

  private List<StyledLine> run() {
    List<StyledLine> lines = new ArrayList<>();
    seen.run().ifPresentOrElse(run -> lines.add(labelled("run", Paint.PLAIN, run.getLong("run")
        + (run.getString("jobName", "").isEmpty() ? "" : " '" + StyledLine.cut(run.getString("jobName"), 16) + "'")
        + ", " + Plural.of(run.getInteger("ranks"), "rank") + ", prefix " + run.getString("prefix"))),
        () -> lines.add(labelled("run", Paint.FAINT, "none since these daemons began")));
    List<String> missing = StatusView.texts(seen.waits().getJsonArray("missing"));
    lines.add(labelled("phase", Paint.PLAIN, phase())
        .and(Paint.WARNING, missing.isEmpty() ? "" : "; missing: " + names(missing)));
    lines.add(restart());
    return lines;
  }

  private String phase() {
    String waits = seen.waits().getString("for");
    return waits.equals("no run") && seen.hasFinished() ? "no run: the last one has finished" : waits;
  }

  /** The checkpoint that a restart takes now, and after the loss of any one node. */
  private StyledLine restart() {
    Optional<JsonObject> newest = seen.newest();
    if (newest.isEmpty()) {
      return labelled("restart", Paint.WARNING, "no checkpoint"
          + seen.run().map(run -> of(run.getString("prefix"))).orElse("") + " in the caches");
    }
    Map<Integer, List<String>> others = new TreeMap<>();
    for (String node : seen.members()) {
      int takes = seen.newestWithout(node).map(dataset -> dataset.getInteger("dataset")).orElse(0);
      if (takes != newest.get().getInteger("dataset")) {
        others.computeIfAbsent(takes, _ -> new ArrayList<>()).add(node);
      }
    }
    StyledLine line = labelled("restart", Paint.PLAIN, "takes " + newest.get().getInteger("dataset") + " '"
        + StyledLine.cut(newest.get().getString("name"), 20) + "'" + of(newest.get().getString("prefix")));
    if (others.isEmpty()) {
      return line.and(", ").and(Paint.GOOD, "also if any one node dies now");
    }
    for (Map.Entry<Integer, List<String>> worse : others.entrySet()) {
      line = line.and("; if " + StatusAttention.anyOf(new JsonArray(worse.getValue()), seen.members().size())
          + " dies: ").and(Paint.ALARM, worse.getKey() == 0 ? "none in the caches" : "" + worse.getKey());
    }
    return line;
  }

  /** Whose it is, where that is not clear. */
  private String of(String prefix) {
    return seen.owner(prefix).map(letter -> " of " + letter).orElse("");
  }

  /** A dataset with its owner, where there are several. */
  private String title(String dataset, Optional<String> owner) {
    return owner.map(letter -> left(dataset, TITLE - OWNER) + left(letter, OWNER))
        .orElseGet(() -> left(dataset, TITLE));
  }

  private List<StyledLine> datasets(int rows) {
    List<JsonObject> all = seen.datasets();
    if (all.isEmpty()) {
      return List.of(StyledLine.of(Paint.FAINT, "no datasets in the caches"));
    }
    List<StyledLine> lines = new ArrayList<>();
    lines.add(StyledLine.of(Paint.STRONG, title("dataset", seen.owner(all.getFirst().getString("prefix"))
        .map(_ -> "of")) + right("size", SIZE) + "  "
        + left("protection", PROTECTION) + left("a node dies", SURVIVES) + "flush"));
    int shown = 0;
    for (JsonObject dataset : all) {
      List<StyledLine> some = dataset(dataset);
      int more = shown + 1 < all.size() ? 1 : 0;
      if (lines.size() + 1 + more > rows) {
        break;
      }
      lines.addAll(lines.size() + some.size() + more > rows ? some.subList(0, 1) : some);
      shown++;
    }
    if (shown < all.size()) {
      lines.add(StyledLine.of(Paint.FAINT, "and " + (all.size() - shown) + " older: "
          + summary(all.subList(shown, all.size())) + "; scr status --all lists them"));
    }
    return lines;
  }

  private static String summary(List<JsonObject> datasets) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    datasets.stream().map(StatusGlance::protection).sorted(Comparator.naturalOrder())
        .forEach(word -> counts.merge(word, 1, Integer::sum));
    return String.join(", ", counts.entrySet().stream().map(one -> one.getValue() + " " + one.getKey()).toList());
  }

  private static String protection(JsonObject dataset) {
    return dataset.getString("protection");
  }

  private List<StyledLine> dataset(JsonObject dataset) {
    List<StyledLine> lines = new ArrayList<>();
    Optional<JsonObject> flush = seen.flush(dataset.getInteger("dataset"));
    JsonArray fatal = dataset.getJsonArray("fatalNodes");
    boolean safe = fatal.isEmpty() || isFlushed(dataset);
    lines.add(StyledLine.of(title(dataset.getInteger("dataset") + " " + dataset.getString("name"),
            seen.owner(dataset.getString("prefix")))
            + right(Humane.bytes(dataset.getLong("bytes")), SIZE) + "  ")
        .and(PAINTS.getOrDefault(state(dataset), Paint.PLAIN), left(protection(dataset), PROTECTION))
        .and(safe ? Paint.PLAIN : Paint.ALARM, left(survives(dataset, fatal), SURVIVES))
        .and(flush.isPresent() && flush.get().containsKey("cause") ? Paint.ALARM : Paint.PLAIN, flush(dataset, flush)));
    flush.filter(one -> bars && one.getJsonObject("amount").getLong("totalBytes") > 0)
        .ifPresent(one -> lines.add(progress(one.getJsonObject("amount"))));
    return lines;
  }

  private String survives(JsonObject dataset, JsonArray fatal) {
    return switch (state(dataset)) {
      case "LOST", "OPEN" -> isFlushed(dataset) ? "in prefix" : "-";
      case String _ when isFlushed(dataset) -> "in prefix";
      case String _ when fatal.isEmpty() -> "survives";
      case String _ when fatal.size() == 1 -> "lost: " + fatal.getString(0);
      case String _ -> "lost: " + fatal.size() + "/" + seen.members().size();
    };
  }

  private static String flush(JsonObject dataset, Optional<JsonObject> flush) {
    if (flush.isEmpty()) {
      return switch (dataset.getString("flush")) {
        case "DONE" -> "done";
        case "WANTED" -> "waits";
        default -> "-";
      };
    }
    JsonObject amount = flush.get().getJsonObject("amount");
    String left = flush.get().containsKey("remainingMs")
        ? ", " + FlushLines.duration(flush.get().getLong("remainingMs")) + " left" : "";
    return flush.get().getString("state").equals("copying") ? (int) (part(amount) * 100) + " %" + left
        : flush.get().getString("state");
  }

  private static double part(JsonObject amount) {
    long total = amount.getLong("totalBytes");
    return total == 0 ? 1 : (double) amount.getLong("doneBytes") / total;
  }

  private static StyledLine progress(JsonObject amount) {
    long rate = amount.getLong("bytesPerSecond");
    return StyledLine.of("  ").and(Paint.GOOD, FlushLines.bar(part(amount), BAR)).and("  "
        + Humane.bytes(amount.getLong("doneBytes")) + " of " + Humane.bytes(amount.getLong("totalBytes"))
        + (rate > 0 ? ", " + Humane.bytes(rate) + "/s" : ""));
  }

  private List<StyledLine> space() {
    List<StyledLine> lines = new ArrayList<>();
    StatusAttention.fullest(seen.stores()).ifPresent(store -> {
      String whose = Humane.bytes(seen.stores().stream().mapToLong(one -> one.getLong("usedBytes")).sum())
          + " of datasets; fullest: " + StyledLine.cut(store.getString("node"), NODE_NAME) + " ";
      String free = ", " + free(store);
      int left = COLUMNS - LABEL - whose.length() - free.length();
      lines.add(labelled("caches", Paint.PLAIN, whose + StyledLine.cut(store.getString("base"), left) + free));
    });
    if (seen.owners().size() > 1) {
      lines.addAll(owners());
    } else {
      StatusAttention.fullest(seen.prefixes()).ifPresent(prefix ->
          lines.add(labelled("prefix", Paint.PLAIN, free(prefix))));
    }
    return lines;
  }

  /** Which prefix directory each letter stands for, that of the run first. */
  private List<StyledLine> owners() {
    List<StyledLine> lines = new ArrayList<>();
    List<String> all = seen.owners();
    for (String path : all.subList(0, Math.min(all.size(), MOST_OWNERS))) {
      Optional<JsonObject> space = seen.prefixes().stream().filter(prefix -> prefix.getString("path").equals(path)
          && prefix.getLong("wholeBytes", 0L) > 0).findFirst();
      lines.add(labelled(lines.isEmpty() ? "prefix" : "", Paint.PLAIN, seen.owner(path).orElse("") + " "
          + tail(Names.printable(path)) + space.map(one -> ", " + free(one)).orElse("")));
    }
    if (all.size() > MOST_OWNERS) {
      lines.add(labelled("", Paint.FAINT, "and " + (all.size() - MOST_OWNERS) + " more; scr status --all lists them"));
    }
    return lines;
  }

  /** The end of a path, in which those of several runs differ. */
  private static String tail(String path) {
    return path.length() <= PATH ? path : ".." + path.substring(path.length() - PATH + 2);
  }

  private static String free(JsonObject place) {
    return percent(place) + " % used, " + Humane.bytes(place.getLong("freeBytes")) + " free";
  }

  private List<StyledLine> attention(int rows) {
    List<StatusAttention> all = StatusAttention.of(seen);
    List<StyledLine> lines = new ArrayList<>();
    if (all.isEmpty()) {
      lines.add(StyledLine.of(Paint.GOOD, "nothing wants attention"));
    }
    int shown = 0;
    for (StatusAttention one : all.subList(0, Math.min(all.size(), MOST_ATTENTION))) {
      int more = shown + 1 < all.size() ? 1 : 0;
      int left = rows - lines.size() - more - (one.command().isPresent() ? 1 : 0);
      if (shown > 0 && wrapped("then", one, rows).size() > left) {
        break;                                            // its end may be what helps: rather count it
      }
      lines.addAll(wrapped(shown == 0 ? "first" : "then", one, Math.max(1, left)));
      one.command().ifPresent(command -> lines.add(StyledLine.of(" ".repeat(LABEL) + command)));
      shown++;
    }
    if (shown < all.size()) {
      lines.add(StyledLine.of(Paint.FAINT, " ".repeat(LABEL) + (all.size() - shown) + " more: scr status --all"));
    }
    return lines;
  }

  /** A sentence in as many lines as it takes; what does not fit into so many is cut. */
  private static List<StyledLine> wrapped(String label, StatusAttention one, int most) {
    List<String> text = StyledLine.wrapped(one.what(), COLUMNS - LABEL);
    List<StyledLine> lines = new ArrayList<>();
    for (int line = 0; line < Math.min(most, text.size()); line++) {
      String shown = line + 1 < most ? text.get(line)
          : StyledLine.cut(String.join(" ", text.subList(line, text.size())), COLUMNS - LABEL);
      lines.add(labelled(line == 0 ? label : "", one.urgency(), shown));
    }
    return lines;
  }

  private static String left(String text, int width) {
    String cut = StyledLine.cut(text, width - 2);
    return cut + " ".repeat(width - cut.length());
  }

  private static String right(String text, int width) {
    return " ".repeat(Math.max(0, width - text.length())) + text;
  }
}
