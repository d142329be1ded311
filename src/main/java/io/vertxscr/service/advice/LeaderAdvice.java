package io.vertxscr.service.advice;

import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.Observer;
import java.util.OptionalLong;

/** What a leader advises with. On the node's loop. */
public record LeaderAdvice(HaltWatch halts, Advisor advisor, CheckpointTimes times) {
  /** What advice comes from. */
  public record Ports(Loop loop, NodeBus bus, Epoch epoch, Observer observer) {}

  /**
   * Makes it for a node.
   *
   * @param endSeconds when the allocation ends, since 1970, where that is configured
   */
  public static LeaderAdvice of(Ports ports, String self, OptionalLong endSeconds) {
    CheckpointTimes times = new CheckpointTimes(System::nanoTime);
    HaltWatch halts = new HaltWatch(
        ports.loop(), self, endSeconds, () -> System.currentTimeMillis() / 1000, ports.observer());
    return new LeaderAdvice(halts, new Advisor(ports.bus(), ports.epoch(), halts, times), times);
  }
}
