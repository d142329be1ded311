package io.vertxscr.cli.offline;

import io.vertxscr.cli.text.Humane;
import io.vertxscr.explain.Diagnosis.Verdict;
import io.vertxscr.explain.Diagnosis;
import io.vertxscr.explain.Evidence;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Plural;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Text form of a diagnosis: verdict, cause, missing parts, remaining tolerance, remedies. */
final class ExplainPage {
  private static final int MOST_LINES = 20;

  private ExplainPage() {}

  /** @param from which nodes were asked, and how */
  static List<String> lines(Evidence seen, Diagnosis diagnosis, String from) {
    DatasetDescriptor dataset = seen.dataset();
    List<String> lines = new ArrayList<>();
    lines.add("dataset " + dataset.id() + " '" + dataset.name() + "': " + IndexListing.kind(dataset.flags()) + ", "
        + (seen.worldRanks() == 0 ? "ranks not known" : Plural.of(seen.worldRanks(), "rank")) + ", "
        + Plural.of(dataset.totals().files(), "file") + ", "
        + Humane.bytes(dataset.totals().bytes()) + ", created " + time(dataset.createdUs()));
    lines.add(verdict(diagnosis.verdict()));
    section(lines, "why", diagnosis.reasons());
    section(lines, "missing", missing(diagnosis));
    if (diagnosis.verdict() == Verdict.IN_CACHES) {
      section(lines, "at risk", List.of(risk(diagnosis.risk())));
    }
    section(lines, "next", diagnosis.next());
    section(lines, "looked at", List.of("the prefix directory, " + from));
    return lines;
  }

  /** Sets of nodes, any of which: {@code of n0 and n1, of n0 and n2, or of n1 and n2}. */
  static String anyOf(String preposition, List<List<String>> nodes) {
    List<String> sets = nodes.stream().map(set -> preposition + " " + String.join(" and ", set)).toList();
    return sets.size() < 2 ? String.join("", sets)
        : String.join(", ", sets.subList(0, sets.size() - 1)) + ", or " + sets.getLast();
  }

  static String verdict(Verdict verdict) {
    return switch (verdict) {
      case PUBLISHED -> "It is in the prefix directory, whole.";
      case SCAVENGED -> "It was scavenged and can be made whole; before that, no restart finds it whole.";
      case IN_CACHES -> "It is not in the prefix directory, but the caches can give it.";
      case REPLACED -> "It was in the prefix directory, and a later dataset has replaced it: restarts pass it over.";
      case DAMAGED -> "It is in the prefix directory, but damaged: restarts pass it over.";
      case LOST -> "It cannot be had from what was looked at.";
    };
  }

  private static void section(List<String> lines, String heading, List<String> sentences) {
    if (!sentences.isEmpty()) {
      lines.add("");
      lines.add(heading);
    }
    sentences.stream().limit(MOST_LINES).forEach(sentence -> lines.add("  " + sentence));
    if (sentences.size() > MOST_LINES) {
      lines.add("  and " + (sentences.size() - MOST_LINES) + " more");
    }
  }

  /** Ranks that miss for one reason stand in one line. */
  private static List<String> missing(Diagnosis diagnosis) {
    Map<String, List<Integer>> byReason = new LinkedHashMap<>();
    diagnosis.lost().forEach((rank, why) -> {
      String reason = why.replaceFirst("^dataset .*: the files of rank \\d+ are lost, and ", "");
      byReason.computeIfAbsent(reason, _ -> new ArrayList<>()).add(rank);
    });
    List<String> sentences = new ArrayList<>();
    byReason.forEach((reason, ranks) -> sentences.add(
        Humane.ranks(ranks) + ": " + reason));
    return sentences;
  }

  private static String risk(Diagnosis.Risk risk) {
    String survives = switch (risk.anyNodes()) {
      case 0 -> "not every single node may be lost";
      case 1 -> "any one node may be lost";
      default -> "any two nodes may be lost";
    };
    return survives + (risk.fatal().isEmpty() ? "" : "; it would be gone " + anyOf("with", risk.fatal()));
  }

  private static LocalDateTime time(long createdUs) {
    return LocalDateTime.ofInstant(Instant.EPOCH.plus(createdUs, ChronoUnit.MICROS), ZoneId.systemDefault())
        .truncatedTo(ChronoUnit.SECONDS);
  }
}
