package io.vertxscr.protocol.app;

import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.FieldChecks;
import java.util.Optional;

/**
 * Flush state of a dataset ({@link Verb#FLUSH_TEST}, {@link Verb#FLUSH_WAIT}).
 *
 * @param flushed whether it is there, whole and durable
 * @param wanted whether it is going there; neither: it stays in the caches
 * @param cause what has gone wrong with it last, where something has
 */
public record FlushReply(boolean flushed, boolean wanted, Optional<String> cause) {
  public FlushReply {
    cause.ifPresent(text -> FieldChecks.sentence("cause", text));
  }

  /** It is there. */
  public static final FlushReply FLUSHED = new FlushReply(true, false, Optional.empty());
  /** It stays in the caches. */
  public static final FlushReply NOT_WANTED = new FlushReply(false, false, Optional.empty());

  /** On its way. */
  public static FlushReply underWay(Optional<String> cause) {
    return new FlushReply(false, true, cause);
  }
}
