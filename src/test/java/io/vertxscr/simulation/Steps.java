package io.vertxscr.simulation;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** What nodes do, counted from a moment on; and what becomes of one of their messages. */
final class Steps {
  /** Of a node; daemons that follow each other are one. */
  record Count(int ownFiles, int prefixFiles, int messages) {
    static final Count NONE = new Count(0, 0, 0);
  }

  private final Map<String, Count> counts = new TreeMap<>();
  private boolean isCounting;
  /** Whose message is struck; null: nobody's. */
  private String sender;
  private int messagesLeft;
  private UnaryOperator<int[]> strike;

  void count(boolean on) {
    isCounting = on;
  }

  /** By node. */
  Map<String, Count> counts() {
    return counts;
  }

  void operation(String node, boolean onShared) {
    if (isCounting) {
      Count now = counts.getOrDefault(node, Count.NONE);
      counts.put(node, onShared ? new Count(now.ownFiles, now.prefixFiles + 1, now.messages)
          : new Count(now.ownFiles + 1, now.prefixFiles, now.messages));
    }
  }

  /** One message or answer of the node, counted from now on, arrives as {@code by} says, unless a link drops it. */
  void strikeMessage(String node, int number, UnaryOperator<int[]> by) {
    sender = node;
    messagesLeft = number;
    strike = by;
  }

  boolean isArmed() {
    return messagesLeft > 0;
  }

  void disarm() {
    messagesLeft = 0;
  }

  /** Of a message between two nodes. */
  int[] message(String from, int[] arrivals) {
    if (isCounting) {
      Count now = counts.getOrDefault(from, Count.NONE);
      counts.put(from, new Count(now.ownFiles, now.prefixFiles, now.messages + 1));
    }
    boolean isStruck = from.equals(sender) && messagesLeft > 0 && --messagesLeft == 0;
    return isStruck && arrivals.length > 0 ? strike.apply(arrivals) : arrivals;
  }
}
