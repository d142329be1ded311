package io.vertxscr.simulation;

/** What becomes of messages between nodes. */
@FunctionalInterface
interface Network {
  int[] LOST = {};

  /** When a message arrives, in ms from now, each time that it does. Nodes by their names. */
  int[] arrivals(String from, String to);
}
