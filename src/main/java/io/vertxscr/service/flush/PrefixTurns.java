package io.vertxscr.service.flush;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.service.Loop;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Mutual exclusion of renames and deletions, for each prefix directory. Otherwise two datasets with the same names
 * would be mixed, and a deletion could take a new file for the older one. On the node's loop.
 */
public final class PrefixTurns {
  private final Loop loop;
  private final Map<String, Future<Void>> last = new HashMap<>();

  /** No turn is taken yet. */
  public PrefixTurns(Loop loop) {
    this.loop = loop;
  }

  /** Waits for its turn, which lasts until its holder completes the promise. */
  public Future<Promise<Void>> enter(String prefix) {
    Promise<Void> turn = loop.promise();
    Future<Void> before = last.getOrDefault(prefix, Future.succeededFuture());
    last.put(prefix, turn.future());
    return before.map(turn);
  }

  /** Does the work in its turn. */
  public <T> Future<T> in(String prefix, Supplier<Future<T>> work) {
    return enter(prefix).compose(turn ->
        Future.succeededFuture().compose(_ -> work.get()).onComplete(_ -> turn.complete()));
  }
}
