package io.vertxscr.flow.advice;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Decisions about the calls from 1 on; a decision is never changed. Neighbours with the same rule are one span, so it
 * takes as much memory as there were changes. Pure; not thread-safe.
 */
final class GivenAnswers {
  private final NavigableMap<Long, Rule> ruleByEnd = new TreeMap<>();
  private long start;
  private long end;

  /** Number of the last dropped call: no rank will repeat it. */
  long start() {
    return start;
  }

  /** Number of the last call that is decided. */
  long end() {
    return end;
  }

  /** The rule for this call; empty where it is forgotten or not decided. */
  Optional<Rule> find(long call) {
    return call <= start || call > end ? Optional.empty() : Optional.of(ruleByEnd.ceilingEntry(call).getValue());
  }

  /** Decides all calls up to this one that are not decided yet. */
  void decide(long to, Rule rule) {
    if (to <= end) {
      return;
    }
    Map.Entry<Long, Rule> last = ruleByEnd.lastEntry();
    if (last != null && last.getValue().equals(rule)) {
      ruleByEnd.remove(last.getKey());
    }
    ruleByEnd.put(to, rule);
    end = to;
  }

  /** Merges another party's decisions about the calls after {@code from}. */
  void learn(long from, List<Span> spans) {
    if (from > end) {
      ruleByEnd.clear();                                  // nobody asks for what lies before
      start = from;
      end = from;
    }
    spans.forEach(span -> decide(span.to(), span.rule()));
  }

  /** Returns the decisions about the calls after this one, or after {@link #start} if that is later. */
  List<Span> after(long call) {
    List<Span> spans = new ArrayList<>();
    ruleByEnd.tailMap(call, false).forEach((to, rule) -> spans.add(new Span(to, rule)));
    return spans;
  }

  /** Nobody will ask for this call or one before it. */
  void forget(long upTo) {
    if (upTo > start && upTo <= end) {
      ruleByEnd.headMap(upTo, true).clear();
      start = upTo;
    }
  }
}
