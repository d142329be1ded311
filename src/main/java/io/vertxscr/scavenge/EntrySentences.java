package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;

/** Sentences about the entries of an index, for commands and failures alike. */
public final class EntrySentences {
  private EntrySentences() {}

  /** {@code dataset 6 'step-6'}. */
  public static String name(DatasetDescriptor descriptor) {
    return "dataset " + descriptor.id() + " '" + descriptor.name() + "'";
  }

  /** That its files are another one's now. */
  public static String overwritten(DatasetDescriptor descriptor, int by) {
    return name(descriptor) + " was replaced by dataset " + by + ", which has written over its files";
  }

  /** Returns the meaning of a failed mark: who set it, its consequence, how to clear it. Begins with "it is". */
  public static String failedMark(Index.Entry entry) {
    String name = "\"" + entry.name() + "\"";
    return entry.byVerify()
        ? "it is marked as failed by scr index --verify, restarts pass it over; to end that, put the files right: scr"
            + " index --verify " + name + " names those that differ, and takes its mark back where none does"
        : "it is marked as failed by a run, restarts pass it over; to end that: scr index --drop " + name
            + ", then --add " + entry.id();
  }
}
