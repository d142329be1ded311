package io.vertxscr.service.advice;

import com.sun.management.OperatingSystemMXBean;
import io.vertxscr.config.JobSettings;
import io.vertxscr.config.policy.LogPolicy;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.Observer;
import io.vertxscr.service.log.EventLog;
import io.vertxscr.service.log.LogLines;
import java.lang.management.ManagementFactory;
import java.time.LocalDateTime;

/** Parts of the leader that advise a run, and record its costs. On the node's loop. */
public record LeaderAdvice(HaltWatch halts, Advisor advisor, CheckpointTimes times, EventLog log) {
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  /** Ports that the advice uses. */
  public record Ports(Loop loop, NodeBus bus, Epoch epoch, Observer observer) {}

  /** Creates them for a node of this job. @param log what holds where no run has told */
  public static LeaderAdvice of(Ports ports, String self, JobSettings job, LogPolicy log) {
    CheckpointTimes times = new CheckpointTimes(ports.loop()::nanoTime, new FlushShare(LeaderAdvice::processorNs),
        new FailureBook(ports.loop(), self));
    HaltWatch halts = new HaltWatch(
        ports.loop(), self, job.endSeconds(), () -> ports.loop().clock().millis() / 1000, ports.observer());
    return new LeaderAdvice(halts, new Advisor(ports.bus(), ports.epoch(), halts, times), times,
        new EventLog(ports.loop(), new LogLines(self, job.id()),
            () -> LocalDateTime.now(ports.loop().clock()), log));
  }

  /** Returns the processor time of this process, as if all processors were needed. */
  private static long processorNs() {
    return PROCESS.getProcessCpuTime() / Runtime.getRuntime().availableProcessors();
  }
}
