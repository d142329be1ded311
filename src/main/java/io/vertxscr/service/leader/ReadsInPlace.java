package io.vertxscr.service.leader;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.service.Loop;
import io.vertxscr.service.flush.PrefixTurns;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The turn of a run in its prefix directory while it reads a checkpoint in place. It lasts from the check of the
 * checkpoint until the application has read it. Meanwhile no flush renames a file there: it may be one of another
 * dataset with the same name. On the node's loop.
 */
public final class ReadsInPlace {
  private static final Logger LOG = LoggerFactory.getLogger(ReadsInPlace.class);
  /** An application that reads for longer, or never says that it has read, holds up no flush any more. */
  static final long MOST_MS = 600_000;

  private final Loop loop;
  private final PrefixTurns turns;
  private Optional<Turn> turn = Optional.empty();
  /** Changes with each begin and end. */
  private long number;

  /** Of the run, in its prefix directory. */
  private record Turn(String prefix, Promise<Void> promise) {}

  /** Takes turns for the leader of a node. */
  public ReadsInPlace(Loop loop, PrefixTurns turns) {
    this.loop = loop;
    this.turns = turns;
  }

  /** Completes when no flush renames files any more; at once if the run has its turn already. */
  Future<Void> begin(String prefix) {
    if (turn.isPresent()) {
      return Future.succeededFuture();
    }
    long mine = ++number;
    return turns.enter(prefix).map(entered -> {
      if (mine != number) {
        entered.complete();                               // ended before its turn came
        return null;
      }
      turn = Optional.of(new Turn(prefix, entered));
      loop.after(MOST_MS, () -> {
        if (mine == number) {
          LOG.warn("the application has not said for {} s that it has read its checkpoint in {}: flushes go on",
              MOST_MS / 1000, prefix);
          end();
        }
      });
      return null;
    });
  }

  /** Lets a flush have the turn that the run needs before it reads anything; it has its own again then. */
  public <T> Future<T> after(Supplier<Future<T>> flush) {
    if (turn.isEmpty()) {
      return flush.get();
    }
    String prefix = turn.get().prefix();
    end();
    return flush.get().eventually(() -> begin(prefix));
  }

  /** The application has read it, or never will. */
  void end() {
    number++;
    turn.ifPresent(taken -> taken.promise().tryComplete());
    turn = Optional.empty();
  }
}
