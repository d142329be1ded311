package io.vertxscr.launch;

import java.util.OptionalInt;

/** How a daemon has ended, in words for the user. Pure. */
public final class DaemonEnd {
  /** A process that a signal has killed has this exit code and that of the signal, here and in a shell. */
  private static final int SIGNALS_FROM = 128;
  private static final int LAST_SIGNAL = 64;

  private DaemonEnd() {}

  /**
   * The end of the sentence "its daemon ...", without the place of its log. What it has said last explains its end only
   * where it has ended by itself, and not well.
   *
   * @param exit empty where its end has not been seen: only its output has ended
   * @param lastLine of its log, empty for none
   */
  public static String words(OptionalInt exit, String lastLine) {
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
