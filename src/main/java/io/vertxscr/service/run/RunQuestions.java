package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.flow.advice.NodeAnswers;
import io.vertxscr.flow.advice.Question;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** What the ranks of a node have asked in one run, and what is known of the answers. On the node's loop. */
final class RunQuestions {
  private final Map<Question, Asked> asked = new EnumMap<>(Question.class);

  RunQuestions(Set<Integer> ranks) {
    for (Question question : Question.values()) {
      asked.put(question, new Asked(ranks));
    }
  }

  Asked of(Question question) {
    return asked.get(question);
  }

  /** One question. */
  static final class Asked {
    private final NodeAnswers answers = new NodeAnswers();
    private final Map<Integer, Long> lastCall = new HashMap<>();
    private Future<Void> asking;

    Asked(Set<Integer> ranks) {
      ranks.forEach(rank -> lastCall.put(rank, 0L));
    }

    NodeAnswers answers() {
      return answers;
    }

    /** Number of the rank's last call, 0 before the first. */
    long lastCall(int rank) {
      return lastCall.get(rank);
    }

    void called(int rank, long call) {
      lastCall.put(rank, call);
    }

    /** The call that the slowest rank made last. */
    long slowest() {
      return lastCall.values().stream().mapToLong(Long::longValue).min().orElse(0);
    }

    /** The question to the leader that is under way; null for none. */
    Future<Void> asking() {
      return asking;
    }

    void asking(Future<Void> now) {
      asking = now;
    }
  }
}
