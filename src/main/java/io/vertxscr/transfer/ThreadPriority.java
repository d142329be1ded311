package io.vertxscr.transfer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandleProxies;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
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
  public static void lower() {
    if (isOfThreads()) {
      set(CALLER, NICEST, Thread.currentThread().getName());
    }
  }

  /**
   * Lowers those of all threads of this process whose name begins so. They cannot be raised, and what these threads
   * start has their priority.
   *
   * @param tasks where the system lists them: {@code /proc/self/task}
   * @param name as the system knows it: of at most 15 bytes
   * @param nice from 1 to 19, the least
   * @return how many there are
   */
  public static int lower(Path tasks, String name, int nice) {
    if (!isOfThreads()) {
      return 0;
    }
    try (Stream<Path> threads = Files.list(tasks)) {
      return (int) threads.filter(thread -> isNamed(thread, name))
          .filter(thread -> set(Integer.parseInt(thread.getFileName().toString()), nice, name)).count();
    } catch (IOException | UncheckedIOException e) {
      LOG.debug("the threads of this process cannot be listed: {}", e.toString());
      return 0;
    }
  }

  private static boolean isNamed(Path thread, String name) {
    try {
      return Files.readString(thread.resolve("comm")).startsWith(name);
    } catch (IOException e) {
      return false;                                       // it has ended
    }
  }

  private static boolean isOfThreads() {
    return System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux");
  }

  @SuppressWarnings("restricted")                        // a call of the C library, as the launcher's options allow it
  private static boolean set(int who, int nice, String name) {
    try {
      Linker linker = Linker.nativeLinker();
      FunctionDescriptor ofThree = FunctionDescriptor.of(
          ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
      SetPriority system = MethodHandleProxies.asInterfaceInstance(SetPriority.class,
          linker.downcallHandle(linker.defaultLookup().findOrThrow("setpriority"), ofThree));
      if (system.call(PRIO_PROCESS, who, nice) == 0) {
        return true;
      }
      LOG.debug("the system does not lower the priority of {}", name);
    } catch (RuntimeException e) {
      LOG.debug("the priority of {} cannot be lowered: {}", name, e.toString());
    }
    return false;
  }
}
