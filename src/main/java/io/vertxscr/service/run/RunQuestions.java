package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.flow.advice.NodeAnswers;
import io.vertxscr.flow.advice.Question;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Queries of a node's ranks in one run, and their known answers. On the node's loop. */
public final class RunQuestions {
  private final Map<Question, Asked> asked = new EnumMap<>(Question.class);

  RunQuestions(Set<Integer> ranks) {
    for (Question question : Question.values()) {
      asked.put(question, new Asked(ranks));
    }
  }

  public Asked of(Question question) {
    return asked.get(question);
  }

  /** One question. */
  public static final class Asked {
    private final NodeAnswers answers = new NodeAnswers();
    private final Map<Integer, Calls> last = new HashMap<>();
    private Future<Void> asking;

    /** Calls of a rank that were answered by one message. */
    private record Calls(long first, long last) {}

    Asked(Set<Integer> ranks) {
      ranks.forEach(rank -> last.put(rank, new Calls(0, 0)));
    }

    public NodeAnswers answers() {
      return answers;
    }

    /** Number of the call that the rank has sent last, 0 before the first. */
    public long lastSent(int rank) {
      return last.get(rank).first();
    }

    /** Number of the last call of the rank that is answered, or is being answered. */
    public long lastCall(int rank) {
      return last.get(rank).last();
    }

    /** The rank has sent a call, and is answered up to the last one. */
    public void called(int rank, long first, long until) {
      last.put(rank, new Calls(first, until));
    }

    /** The call that the slowest rank has sent last: none before it is sent again. */
    public long slowest() {
      return last.values().stream().mapToLong(Calls::first).min().orElse(0);
    }

    /** The question to the leader that is under way; null for none. */
    public Future<Void> asking() {
      return asking;
    }

    public void asking(Future<Void> now) {
      asking = now;
    }
  }
}
