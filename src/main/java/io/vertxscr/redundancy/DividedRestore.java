package io.vertxscr.redundancy;

import io.vertxscr.model.RankFiles;
import io.vertxscr.storage.LogicalDraft;
import java.util.List;

/**
 * A {@link RestoreJob} split into parts for several threads. Parts run in any order on any thread that moves bulk
 * bytes, then {@link #finish}. Closed before that, it leaves nothing behind, and no part may run any more.
 *
 * @param parts each blocking; they throw what {@link RestoreJob#run} does
 */
public record DividedRestore(LogicalDraft draft, List<Runnable> parts) implements AutoCloseable {
  public DividedRestore {
    parts = List.copyOf(parts);
  }

  /**
   * All parts are done: gives the files their names, durably.
   *
   * @return the files with their checksums
   * @throws io.vertxscr.model.ScrException CORRUPT if bytes are missing; NO_SPACE, IO
   */
  public RankFiles finish() {
    return draft.finish();
  }

  @Override
  public void close() {
    draft.close();
  }
}
