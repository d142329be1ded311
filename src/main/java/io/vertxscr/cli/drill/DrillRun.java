package io.vertxscr.cli.drill;

import io.vertxscr.cli.drill.DrillNews.Topic;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** What the ranks of one run have told so far. Pure. */
final class DrillRun {
  private final int ranks;
  /** By topic and rank, the highest step. */
  private final Map<Topic, Map<Integer, Integer>> steps = new EnumMap<>(Topic.class);
  /** By step, when the first rank began its checkpoint. */
  private final Map<Integer, Long> begins = new HashMap<>();
  private final SortedMap<Integer, String> ended = new TreeMap<>();
  private Optional<String> difference = Optional.empty();

  DrillRun(int ranks) {
    this.ranks = ranks;
  }

  void hear(DrillNews news, long nanos) {
    steps.computeIfAbsent(news.topic(), _ -> new HashMap<>()).merge(news.rank(), news.step(), Math::max);
    if (news.topic() == Topic.BEGINS) {
      begins.merge(news.step(), nanos, (one, other) -> one - other < 0 ? one : other);
    } else if (news.topic() == Topic.DIFFERS && difference.isEmpty()) {
      difference = Optional.of(news.text());
    }
  }

  /** @param how a failure in words; empty if it did all that it had to do */
  void ended(int rank, String how) {
    ended.putIfAbsent(rank, how);
  }

  /** Whether all ranks have told that. */
  boolean all(Topic topic) {
    return steps.getOrDefault(topic, Map.of()).size() == ranks;
  }

  /** Whether all ranks have told that, of this step or a later one. */
  boolean all(Topic topic, int step) {
    return all(topic) && steps.get(topic).values().stream().allMatch(reached -> reached >= step);
  }

  /** Whether these ranks have told that, of this step or a later one. */
  boolean reached(Topic topic, Collection<Integer> those, int step) {
    Map<Integer, Integer> told = steps.getOrDefault(topic, Map.of());
    return those.stream().allMatch(rank -> told.getOrDefault(rank, -1) >= step);
  }

  /** The highest step of any rank; -1 where nobody has told that. */
  int furthest(Topic topic) {
    return steps.getOrDefault(topic, Map.of()).values().stream().mapToInt(Integer::intValue).max().orElse(-1);
  }

  /** The highest step that all ranks have told; -1 where one has told none. */
  int together(Topic topic) {
    return all(topic) ? steps.get(topic).values().stream().mapToInt(Integer::intValue).min().orElse(-1) : -1;
  }

  /** When the first rank began the checkpoint of this step. */
  Optional<Long> begun(int step) {
    return Optional.ofNullable(begins.get(step));
  }

  boolean hasEnded() {
    return ended.size() == ranks;
  }

  /** How the first of the ranks that failed has ended; those of lost nodes say nothing. */
  Optional<String> failure(Collection<Integer> lost) {
    return ended.entrySet().stream().filter(one -> !one.getValue().isEmpty() && !lost.contains(one.getKey()))
        .map(one -> "rank " + one.getKey() + ": " + one.getValue()).findFirst();
  }

  /** The first difference that a rank has found. */
  Optional<String> difference() {
    return difference;
  }
}
