package io.vertxscr.cli.offline;

import io.vertxscr.cli.text.Humane;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Names;
import io.vertxscr.model.Plural;
import io.vertxscr.scavenge.EntrySentences;
import io.vertxscr.scavenge.Finding;
import java.util.ArrayList;
import java.util.List;

/** Text form of what is found in a prefix directory and in caches. */
final class FindingLines {
  private static final int MOST_REASONS = 10;

  private FindingLines() {}

  static List<String> of(Finding finding) {
    return lines(finding).stream().map(Names::printable).toList();
  }

  private static List<String> lines(Finding finding) {
    return switch (finding) {
      case Finding.NotWhole broken -> notWhole(broken);
      case Finding.LeftInCaches left -> List.of("left in the caches, for " + left.newer().id() + " '"
          + left.newer().name() + "' is newer and in the prefix directory: "
          + String.join(", ", left.left().stream().map(one -> one.id() + " '" + one.name() + "'").toList()));
      default -> List.of(line(finding));
    };
  }

  private static String line(Finding finding) {
    return switch (finding) {
      case Finding.Remark(var sentence) -> sentence;
      case Finding.Defect(var dataset, var sentence) -> about(dataset, sentence);
      case Finding.DefectById(var dataset, var sentence) -> "dataset " + dataset + ": " + sentence;
      case Finding.OverwrittenBy(var dataset, var by) -> EntrySentences.overwritten(dataset, by);
      case Finding.Superseded(var dataset, var by) ->
          EntrySentences.name(dataset) + " was replaced by dataset " + by + ": not listed";
      case Finding.Enlisted(var dataset, var rebuilt) -> EntrySentences.name(dataset) + " is in the index, whole: "
          + Plural.of(dataset.totals().files(), "file") + ", " + Humane.bytes(dataset.totals().bytes())
          + rebuilt(rebuilt);
      case Finding.EnlistedButMarked(var dataset, var rebuilt, var entry) -> about(dataset,
          "its files have the right sizes" + rebuilt(rebuilt) + ", but " + EntrySentences.failedMark(entry));
      case Finding.Delisted(var dataset, var lack) -> EntrySentences.name(dataset) + switch (lack) {
        case READABLE_MAP -> " has no map that can be read";
        case READABLE_SUMMARY -> " has no summary that can be read";
        case SUMMARY -> " has lost its summary";
      } + ": not valid any more";
      case Finding.LeftAlone(var dataset, var cause) -> "dataset " + dataset + " is left alone: " + cause;
      case Finding.NotRead(var dataset, var by) ->
          EntrySentences.overwritten(dataset, by) + ": not read, restarts pass it over";
      case Finding.Unread(var dataset, var files, var example) -> about(dataset, Plural.of(files, "file")
          + " cannot be read now, so that nobody knows whether it is whole, and nothing is marked: " + example);
      case Finding.NotCompared(var dataset, var files, var example) -> about(dataset,
          Plural.of(files, "file") + " without a checksum, not compared, such as " + example);
      case Finding.Compared compared -> compared(compared);
      case Finding.MarkChanged(var dataset, var failed) -> about(dataset, mark(failed));
      case Finding.MarkNotWritten(var dataset, var failed, var cause) -> about(dataset,
          "the index could not be changed, else it would be " + mark(failed) + ": " + cause);
      case Finding.MarkStays(var entry) -> about(entry.descriptor(), EntrySentences.failedMark(entry));
      case Finding.PartCopied(var node, var dataset, var copied, var redundant) -> "node " + node + ": "
          + Humane.ranks(copied.ranks()) + " of dataset " + dataset + ", " + Plural.of(copied.files(), "file") + ", "
          + Humane.bytes(copied.bytes()) + (redundant ? ", with redundancy" : "");
      case Finding.NodeDefect(var node, var sentence) -> "node " + node + ": " + sentence;
      case Finding.NothingToCopy(var dataset) ->
          "dataset " + dataset + " is in the prefix directory, whole: nothing to copy";
      case Finding.CopiedForRepair(var dataset) -> "dataset " + dataset + " is in the prefix directory, but not whole"
          + " any more: 'scr index --add " + dataset + "' repairs it with what is copied now";
      case Finding.HostsWithout hosts -> hostsWithout(hosts);
      case Finding.NothingToScavenge _, Finding.NotWhole _, Finding.LeftInCaches _ ->
          throw new IllegalArgumentException("not one line: " + finding);
    };
  }

  private static String about(DatasetDescriptor dataset, String sentence) {
    return EntrySentences.name(dataset) + ": " + sentence;
  }

  private static String rebuilt(List<Integer> ranks) {
    return ranks.isEmpty() ? "" : "; rebuilt " + Humane.ranks(ranks);
  }

  private static String mark(boolean failed) {
    return failed ? "marked as failed, restarts pass it over" : "no longer marked as failed, restarts use it again";
  }

  private static List<String> notWhole(Finding.NotWhole broken) {
    List<String> lines = new ArrayList<>();
    lines.add(EntrySentences.name(broken.dataset()) + " is INVALID: MISSING files of " + Humane.ranks(broken.missing())
        + "; UNRECOVERABLE " + Humane.ranks(broken.unrecoverable().keySet()));
    broken.unrecoverable().values().stream().distinct().limit(MOST_REASONS).forEach(why ->
        lines.add("  " + why.replaceFirst("^dataset .* from the caches: ", "")));
    return lines;
  }

  private static String compared(Finding.Compared compared) {
    int bad = compared.bad();
    String verdict = bad > 0 ? bad + " bad of " : compared.allCompared() ? "good, " : "nothing differs in ";
    return about(compared.dataset(), verdict + Plural.of(compared.files(), "file") + ", "
        + Humane.bytes(compared.bytes()) + (bad == 0 ? "" : " good"));
  }

  private static String hostsWithout(Finding.HostsWithout hosts) {
    return switch (hosts.outcome()) {
      case COPIED -> "copied from";
      case NOTHING_THERE -> "nothing of dataset " + hosts.dataset() + " is on";
      case NOT_REACHED -> "not reached, and taken for dead:";
      case FAILED -> "failed, for the reason above, on";
    } + " " + hosts.hosts().size() + " of " + Plural.of(hosts.asked(), "host") + ": "
        + String.join(", ", hosts.hosts());
  }
}
