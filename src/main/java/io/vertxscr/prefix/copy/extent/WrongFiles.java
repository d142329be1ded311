package io.vertxscr.prefix.copy.extent;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.List;
import java.util.stream.Stream;

/**
 * Files of a dataset that differ from its map. All are counted, the first of them named, so that one attempt shows the
 * extent of the damage.
 *
 * @param named sentences that name a file each, {@link #MOST_NAMED} at most
 */
public record WrongFiles(int count, List<String> named) {
  /** More are only counted. */
  public static final int MOST_NAMED = 10;
  /** All are right. */
  public static final WrongFiles NONE = new WrongFiles(0, List.of());

  /** Wraps one corrupt file found by a copy. @param failure its message names the file */
  public static WrongFiles of(ScrException failure) {
    return new WrongFiles(1, List.of(String.valueOf(failure.getMessage())));
  }

  public WrongFiles and(WrongFiles more) {
    return more.count == 0 ? this : new WrongFiles(
        count + more.count, Stream.concat(named.stream(), more.named.stream()).limit(MOST_NAMED).toList());
  }

  /** @throws ScrException CORRUPT, if there is any */
  public void requireNone() {
    if (count > 0) {
      String names = String.join("; ", named);
      throw new ScrException(Fault.CORRUPT, count == 1 ? names : count + " files are wrong: " + names
          + (count > named.size() ? "; and " + (count - named.size()) + " more" : ""));
    }
  }
}
