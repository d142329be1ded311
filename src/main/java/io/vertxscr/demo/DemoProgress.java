package io.vertxscr.demo;

import java.io.PrintStream;
import java.util.Locale;

/** Progress on the terminal: one line for each thing that happens, with the seconds since the start. For any thread. */
public final class DemoProgress {
  private final PrintStream out;
  private final boolean colour;
  private final long startNanos = System.nanoTime();

  /** Importance of a line. */
  enum Tone {
    PLAIN(""), PHASE("\u001b[1m"), ALARM("\u001b[31;1m"), GOOD("\u001b[32;1m");

    private final String code;

    Tone(String code) {
      this.code = code;
    }
  }

  /** @param colour whether the stream is a terminal that can do it, and the user wants it */
  public DemoProgress(PrintStream out, boolean colour) {
    this.out = out;
    this.colour = colour;
  }

  /** Something went its way. */
  public void line(String text) {
    print(Tone.PLAIN, "  " + text);
  }

  /** Another part of the demo begins. */
  public void phase(String text) {
    print(Tone.PHASE, text);
  }

  /** Something died. */
  public void alarm(String text) {
    print(Tone.ALARM, text);
  }

  /** It came out well. */
  public void good(String text) {
    print(Tone.GOOD, text);
  }

  /** Text as it is, without the time. */
  public void block(String text) {
    synchronized (out) {
      out.print(text);
      out.flush();
    }
  }

  private void print(Tone tone, String text) {
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    String dressed = colour && !tone.code.isEmpty() ? tone.code + text + "\u001b[0m" : text;
    synchronized (out) {
      out.printf(Locale.ROOT, "%7.2f s  %s%n", seconds, dressed);
      out.flush();
    }
  }
}
