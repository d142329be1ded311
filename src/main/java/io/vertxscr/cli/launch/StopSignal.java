package io.vertxscr.cli.launch;

import java.io.IOException;

/** Stops a process of this machine, so that it hangs, and lets it go on: SIGSTOP and SIGCONT. */
public final class StopSignal {
  private StopSignal() {}

  /** From now on it does nothing. @throws IOException where it has ended */
  public static void stop(Process process) throws IOException {
    send("-STOP", process);
  }

  /** It goes on, unless it has ended. */
  public static void goOn(Process process) throws IOException {
    if (process.isAlive()) {
      send("-CONT", process);
    }
  }

  private static void send(String which, Process process) throws IOException {
    Process kill = new ProcessBuilder("kill", which, String.valueOf(process.pid())).redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    try {
      if (kill.waitFor() != 0) {
        throw new IOException("kill " + which + " " + process.pid() + " failed");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
