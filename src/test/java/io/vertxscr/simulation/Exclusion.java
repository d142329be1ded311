package io.vertxscr.simulation;

import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.util.stream.Stream;

/** Whether the job that is being run keeps other threads out: it has entered a monitor. There are no other locks. */
final class Exclusion {
  /** What runs a job. */
  private static final String JOB = "io.vertxscr.service.VirtualTime$VirtualLoop";

  private Exclusion() {}

  static boolean isOn() {
    ThreadInfo thread = ManagementFactory.getThreadMXBean()
        .getThreadInfo(new long[] {Thread.currentThread().threadId()}, true, false)[0];
    long frames = Stream.of(thread.getStackTrace()).takeWhile(frame -> !frame.getClassName().equals(JOB)).count();
    return Stream.of(thread.getLockedMonitors()).mapToInt(MonitorInfo::getLockedStackDepth)
        .anyMatch(depth -> depth < frames);
  }
}
