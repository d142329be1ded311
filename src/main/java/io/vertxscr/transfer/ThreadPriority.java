package io.vertxscr.transfer;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandleProxies;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The priority of threads that work while nobody waits.
 *
 * <p>The JVM gives Java's priorities to the system for a privileged user only, so the system is asked itself. On Linux
 * the nice value belongs to a thread, elsewhere to the process, which must not become slow as a whole.
 */
public final class ThreadPriority {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadPriority.class);
  /** Of {@code setpriority(2)}: {@code who} is a process; 0 is the one that calls, which on Linux is a thread. */
  private static final int PRIO_PROCESS = 0;
  private static final int CALLER = 0;
  /** A sixtieth of the share of a thread of the application that wants the same processor. */
  private static final int NICEST = 19;

  /** {@code setpriority(2)}: returns 0, or -1. */
  @FunctionalInterface
  public interface SetPriority {
    /** Sets the nice value of what {@code which} and {@code who} tell. */
    int call(int which, int who, int nice);
  }

  private ThreadPriority() {}

  /** Lowers the calling thread's to the least, where the system lets a thread have its own. It cannot be raised. */
  @SuppressWarnings("restricted")                        // a call of the C library, as the launcher's options allow it
  public static void lower() {
    if (!System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux")) {
      return;
    }
    try {
      Linker linker = Linker.nativeLinker();
      FunctionDescriptor ofThree = FunctionDescriptor.of(
          ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
      SetPriority system = MethodHandleProxies.asInterfaceInstance(SetPriority.class,
          linker.downcallHandle(linker.defaultLookup().findOrThrow("setpriority"), ofThree));
      if (system.call(PRIO_PROCESS, CALLER, NICEST) != 0) {
        LOG.debug("the system does not lower the priority of {}", Thread.currentThread().getName());
      }
    } catch (RuntimeException e) {
      LOG.debug("the priority of {} cannot be lowered: {}", Thread.currentThread().getName(), e.toString());
    }
  }
}
