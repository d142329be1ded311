package io.vertxscr.system;

import io.vertxscr.simulation.VirtualBus;
import io.vertxscr.simulation.VirtualCluster;
import java.util.function.Predicate;

/**
 * Kills a node of a virtual cluster at an exact moment. That is when a message of some kind is sent for the n-th time.
 */
final class DeathAt {
  private final Point point;
  private final Runnable kill;
  private boolean armed;
  private int left;

  /** Messages that match, by address and body. */
  record Point(String name, Predicate<VirtualBus.Sent> matches, int nth) {
    /** The n-th message of a verb between nodes. */
    static Point verb(String verb, int nth) {
      return new Point(verb + " " + nth, sent -> sent.address().endsWith(".node." + verb), nth);
    }

    /** The n-th part of a gather. */
    static Point gather(String step, int nth) {
      return new Point("gather " + step + " " + nth, sent -> sent.address().endsWith(".node.gather")
          && step.equals(sent.json().getString("step")), nth);
    }

    /** The n-th result of a gather on its way to a node. */
    static Point gathered(int nth) {
      return new Point("gathered " + nth, sent -> sent.isAnswer()
          && sent.json().containsKey("fault") && sent.json().containsKey("result"), nth);
    }

    /** The n-th answer of a leader that has noted ranks. */
    static Point joined(int nth) {
      return new Point("joined " + nth, sent -> sent.isAnswer() && sent.json().containsKey("refusals"), nth);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  DeathAt(VirtualCluster cluster, Point point, Runnable kill) {
    this.point = point;
    this.kill = kill;
    this.left = point.nth();
    cluster.bus().watch(this::sent);
  }

  /** Counts from now on. */
  void arm() {
    armed = true;
  }

  private void sent(VirtualBus.Sent sent) {
    if (armed && point.matches().test(sent) && --left == 0) {
      kill.run();
    }
  }

  /** Whether the moment has come, and the node is dead. */
  boolean hasStruck() {
    return left <= 0;
  }
}
