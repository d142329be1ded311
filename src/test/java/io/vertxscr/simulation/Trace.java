package io.vertxscr.simulation;

import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** What happens in a simulation, in order: always as a hash, as text where somebody wants to read it. */
public final class Trace {
  private static final long PRIME = 0x100000001b3L;

  private final LongSupplier nowNs;
  private final StringBuilder text;
  private long hash = 0xcbf29ce484222325L;

  /** @param readable whether text is kept, which costs most of the time of a simulation */
  Trace(LongSupplier nowNs, boolean readable) {
    this.nowNs = nowNs;
    this.text = readable ? new StringBuilder() : null;
  }

  /** Notes an event. @param hashed what the hash takes of it */
  void note(int hashed, Supplier<String> what) {
    hash = (hash ^ nowNs.getAsLong()) * PRIME;
    hash = (hash ^ hashed) * PRIME;
    if (text != null) {
      text.append(nowNs.getAsLong() / 1_000_000).append(" ms: ").append(what.get()).append('\n');
    }
  }

  void note(String what) {
    note(what.hashCode(), () -> what);
  }

  /** The same for the same events at the same times. */
  long hash() {
    return hash;
  }

  /** The last events, and how much precedes them. */
  String end(int mostChars) {
    String all = text();
    int from = all.length() <= mostChars ? 0 : all.indexOf('\n', all.length() - mostChars) + 1;
    return from == 0 ? all : "... " + from + " characters, and then\n" + all.substring(from);
  }

  /** All events, one on each line. */
  String text() {
    return text == null ? "" : text.toString();
  }
}
