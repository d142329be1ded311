package io.vertxscr.service.run;

import io.vertxscr.protocol.node.RunInfo;
import java.util.List;
import java.util.function.Consumer;

/** Something that the leader does between runs. Told of every turn in their life, on the node's loop. */
public interface RunWatch {
  /** A run is about to begin, or goes on under a new leader. */
  void busy();

  /** The settings of a run that begins or goes on. */
  default void settings(RunInfo info) {}

  /** The run is over before its time, or did not begin. */
  void died();

  /** The run has ended as it wanted. */
  void ended();

  /** This node leads, and perhaps did before; or nodes have come or gone. */
  void leads();

  /** Another node leads. */
  default void resigned() {}

  /** Returns one that tells all of these. */
  static RunWatch all(List<RunWatch> watches) {
    return new RunWatch() {
      private void tell(Consumer<RunWatch> what) {
        watches.forEach(what);
      }

      @Override
      public void busy() {
        tell(RunWatch::busy);
      }

      @Override
      public void settings(RunInfo info) {
        tell(watch -> watch.settings(info));
      }

      @Override
      public void died() {
        tell(RunWatch::died);
      }

      @Override
      public void ended() {
        tell(RunWatch::ended);
      }

      @Override
      public void leads() {
        tell(RunWatch::leads);
      }

      @Override
      public void resigned() {
        tell(RunWatch::resigned);
      }
    };
  }
}
