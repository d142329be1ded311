package io.vertxscr.model;

import io.vertxscr.model.DatasetDescriptor.Totals;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Files of one rank in one dataset, in the order of its logical file. */
public record RankFiles(int rank, List<FileMeta> files) {
  public RankFiles {
    files = List.copyOf(files);
  }

  /** Joins results of parts: one for each rank, in the order of arrival, with its files in their order. */
  public static List<RankFiles> join(List<RankFiles> parts) {
    Map<Integer, List<FileMeta>> ranks = new LinkedHashMap<>();
    parts.forEach(part -> ranks.computeIfAbsent(part.rank, _ -> new ArrayList<>()).addAll(part.files));
    return ranks.entrySet().stream().map(rank -> new RankFiles(rank.getKey(), rank.getValue())).toList();
  }

  /** Files and bytes of these ranks; what several ranks have written counts once. */
  public static Totals totals(List<RankFiles> ranks) {
    List<FileMeta> counted =
        ranks.stream().flatMap(rank -> rank.files.stream()).filter(file -> !file.shared()).toList();
    return new Totals(counted.size(), counted.stream().mapToLong(FileMeta::bytes).sum());
  }

  /** Whether the checksum of some file is not known, but by what it is known again. */
  public boolean hasUnread() {
    return files.stream().anyMatch(file -> file.unread().isPresent());
  }

  /** Length of the logical file, without the zeros it is padded with. */
  public long bytes() {
    return files.stream().mapToLong(FileMeta::bytes).sum();
  }
}
