package io.vertxscr.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/** Describes the end of a daemon for the user. */
public final class DaemonEnd {
  /** A process that a signal has killed has this exit code and that of the signal, here and in a shell. */
  private static final int SIGNALS_FROM = 128;
  private static final int LAST_SIGNAL = 64;
  private static final long LAST_MOMENT_S = 5;

  private DaemonEnd() {}

  /**
   * The end of the sentence "its daemon ...", with the place of its log. Waits a few seconds for its end.
   *
   * @param process whose output has ended, which it does a moment before the process
   */
  public static String of(Process process, Path log) {
    return words(exit(process), lastLine(log)) + " (log " + log + ")";
  }

  private static OptionalInt exit(Process process) {
    try {
      return process.waitFor(LAST_MOMENT_S, TimeUnit.SECONDS) ? OptionalInt.of(process.exitValue())
          : OptionalInt.empty();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return OptionalInt.empty();
    }
  }

  private static String lastLine(Path log) {
    try {
      List<String> lines = Files.readAllLines(log).stream().filter(line -> !line.isBlank()).toList();
      return lines.isEmpty() ? "" : lines.getLast();
    } catch (IOException _) {
      return "";                                          // who reads it will see why
    }
  }

  /**
   * Returns the description without the place of its log. What it has said last explains its end only where it has
   * ended by itself, and not well.
   *
   * @param exit empty where its end has not been seen: only its output has ended
   * @param lastLine of its log, empty for none
   */
  static String words(OptionalInt exit, String lastLine) {
    if (exit.isEmpty()) {
      return "can no longer be heard";
    }
    int code = exit.getAsInt();
    if (code > SIGNALS_FROM && code <= SIGNALS_FROM + LAST_SIGNAL) {
      return "was killed by signal " + (code - SIGNALS_FROM);
    }
    return "has ended with exit code " + code + (code == 0 || lastLine.isEmpty() ? "" : ": " + lastLine);
  }
}
