package io.vertxscr.simulation;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** What nodes do, counted from a moment on; and what becomes of one of their messages. */
final class Steps {
  /** What is counted. */
  enum Counted { OWN_FILE, PREFIX_FILE, OWN_LOOK, PREFIX_LOOK, MESSAGE }

  private final Map<String, Map<Counted, Integer>> counts = new TreeMap<>();
  private boolean isCounting;
  /** Whose message is struck; null: nobody's. */
  private String sender;
  private int messagesLeft;
  private UnaryOperator<int[]> strike;

  void count(boolean on) {
    isCounting = on;
  }

  /** By node; daemons of a node that follow each other are one. */
  Map<String, Map<Counted, Integer>> counts() {
    return counts;
  }

  void operation(String node, boolean onShared) {
    count(node, onShared ? Counted.PREFIX_FILE : Counted.OWN_FILE);
  }

  void look(String node, boolean onShared) {
    count(node, onShared ? Counted.PREFIX_LOOK : Counted.OWN_LOOK);
  }

  private void count(String node, Counted what) {
    if (isCounting) {
      counts.computeIfAbsent(node, _ -> new EnumMap<>(Counted.class)).merge(what, 1, Integer::sum);
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
    count(from, Counted.MESSAGE);
    boolean isStruck = from.equals(sender) && messagesLeft > 0 && --messagesLeft == 0;
    return isStruck && arrivals.length > 0 ? strike.apply(arrivals) : arrivals;
  }
}
